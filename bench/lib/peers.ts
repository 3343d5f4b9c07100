import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the peers, which has its own package.json. */
export const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));

/** Exits with instructions if the peers are not installed. */
export function requirePeers(): void {
  if (existsSync(`${PEERS}node_modules`)) return;
  process.stderr.write('the peers are not installed: npm ci --prefix bench/peers\n');
  process.exit(1);
}

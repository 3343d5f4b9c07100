import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Where the peers are, with a package.json of their own. */
export const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));

/** Stops with a sentence that says what to do when the peers are not installed. */
export function requirePeers(): void {
  if (existsSync(`${PEERS}node_modules`)) return;
  process.stderr.write('the peers are not installed: npm ci --prefix bench/peers\n');
  process.exit(1);
}

/** A package of the peers. */
export const requirePeer = createRequire(PEERS);

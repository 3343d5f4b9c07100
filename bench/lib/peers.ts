import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { directory } from './scratch.ts';
import type { Program } from './server.ts';

/** The folder of the peers, which has its own package.json. */
export const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));

/** Exits with instructions if the peers are not installed. */
export function requirePeers(): void {
  if (existsSync(`${PEERS}node_modules`)) return;
  process.stderr.write('the peers are not installed: npm ci --prefix bench/peers\n');
  process.exit(1);
}

/** Loads a package of the peers. */
export const requirePeer = createRequire(PEERS);

/** A peer in another language, with what builds it in its folder. */
interface BuiltPeer {
  readonly program: Program;
  readonly folder: string;
  readonly build: readonly [tool: string, ...args: string[]];
  readonly artifact: string;
}

const BUILT: readonly BuiltPeer[] = [
  {
    program: {
      name: 'Spring Boot',
      executable: 'java',
      args: ['-jar', `${PEERS}spring/target/spring.jar`],
    },
    folder: 'spring',
    build: ['mvn', '-q', '-B', 'package'],
    artifact: 'spring.jar',
  },
  {
    program: {
      name: 'PocketBase',
      executable: `${PEERS}pocketbase/target/pocketbase`,
      args: [],
      env: { SCRATCH: directory },
    },
    folder: 'pocketbase',
    build: ['go', 'build', '-o', 'target/pocketbase', '.'],
    artifact: 'pocketbase',
  },
];

/** The peers in other languages, built if need be; one whose tools are missing is left out. */
export function builtPeers(): readonly Program[] {
  return BUILT.filter(({ program, folder, build: [tool, ...args], artifact }) => {
    const cwd = PEERS + folder;
    if (existsSync(`${cwd}/target/${artifact}`)) return true;
    if (spawnSync(tool, args, { cwd, stdio: ['ignore', 2, 2] }).status === 0) return true;
    process.stderr.write(`${program.name} is left out: it cannot be built with ${tool}\n`);
    return false;
  }).map(({ program }) => program);
}

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

/** A peer in another language, and the command that builds it in its folder. */
interface BuiltPeer {
  readonly program: Program;
  readonly folder: string;
  readonly build: readonly [tool: string, ...args: string[]];
  readonly artifact: string;
}

const BUILT: readonly BuiltPeer[] = [
  springBoot('3.5.7', 'boot-3'),
  springBoot('4.0.7', 'boot-4'),
  {
    program: {
      name: 'PocketBase',
      executable: `${PEERS}pocketbase/target/pocketbase`,
      args: [],
      env: { SCRATCH: directory },
    },
    folder: 'pocketbase',
    build: ['go', 'build', '-o', 'target/pocketbase', '.'],
    artifact: 'target/pocketbase',
  },
];

/** The same program with a version of Spring Boot, which a profile of its pom.xml selects. */
function springBoot(version: string, profile: string): BuiltPeer {
  const artifact = `target/${version}/spring.jar`;
  return {
    program: {
      name: `Spring Boot ${version}`,
      executable: 'java',
      args: ['-jar', `${PEERS}spring/${artifact}`],
      warmUpSeconds: 20,
    },
    folder: 'spring',
    build: ['mvn', '-q', '-B', `-P${profile}`, 'package'],
    artifact,
  };
}

/** The wanted peers in other languages, built if need be; one whose tools are missing is left out. */
export function builtPeers(isWanted: (program: Program) => boolean): readonly Program[] {
  return BUILT.filter(({ program, folder, build: [tool, ...args], artifact }) => {
    if (!isWanted(program)) return false;
    const cwd = PEERS + folder;
    if (existsSync(`${cwd}/${artifact}`)) return true;
    if (spawnSync(tool, args, { cwd, stdio: ['ignore', 2, 2] }).status === 0) return true;
    process.stderr.write(`${program.name} is left out: it cannot be built with ${tool}\n`);
    return false;
  }).map(({ program }) => program);
}

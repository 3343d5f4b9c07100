import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The versions of etcd to test with, in order: Debian's, and the newest ones as Go modules. */
export const VERSIONS = ['3.4', '3.5', '3.6', '3.7'] as const;

/** A version of etcd. */
export type EtcdVersion = (typeof VERSIONS)[number];

/** Where built programs are kept. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'todo-service-tests');

/** The version that the environment names (`ETCD_VERSION=3.7`), or Debian's. */
export function chosenVersion(): EtcdVersion {
  const { ETCD_VERSION = '3.4' } = process.env;
  const version = VERSIONS.find((each) => each === ETCD_VERSION);
  if (version === undefined) throw new TypeError(`ETCD_VERSION must be one of ${VERSIONS}`);
  return version;
}

/** The path of a version's program, which is built, with Go, unless it has been before. */
export function etcdProgram(version: EtcdVersion): string {
  if (version === '3.4') return 'etcd';
  const folder = fileURLToPath(new URL(`../etcd/${version}`, import.meta.url));
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(folder, file)));
  const program = join(CACHE, `etcd-${version}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  const building = `${program}.${process.pid}`;
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', building, '.'];
  execFileSync('go', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(building, program);
  return program;
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { etcdProgram, VERSIONS } from '../support/versions.ts';

/*
 * Runs the tests that depend on the version of etcd with each version: the shape of its responses,
 * its watches, logins and certificates. Then lets a cluster go from one
 * version to the next.
 */

const FILES = ['../gateway', '../credentials'];

/** Runs test files. @returns whether all of them have passed */
function passes(files: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const paths = files.map((name) => fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)));
  const options = ['--import', 'tsx', '--test', '--test-concurrency=1', '--test-reporter=spec'];
  const run = spawnSync(process.execPath, [...options, ...paths], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return run.status === 0;
}

const failed: string[] = [];
for (const version of VERSIONS) {
  process.stdout.write(`etcd ${version}: ${etcdProgram(version)}\n`);
  if (!passes(FILES, { ETCD_VERSION: version })) failed.push(version);
}
if (!passes(['./rolling'], {})) failed.push('from one version to the next');
if (failed.length > 0) {
  process.stdout.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VARIANTS } from '../support/service.ts';
import { buildVariant, docker, imageOf, run, TAG } from './docker.ts';

/** Builds both images, runs the tests of this directory against them, and removes them. */

const { status, stderr } = await run('docker', ['info']).catch((error: Error) => ({
  status: 1,
  stderr: error.message,
}));
if (status !== 0) {
  const inCi = process.env.CI === 'true';
  process.stderr.write(`the images are not tested: no Docker engine answers: ${stderr.trim()}\n`);
  process.exit(inCi ? 1 : 0);
}

const directory = fileURLToPath(new URL('.', import.meta.url));
const installed = await run('npm', ['ci', '--silent', '--ignore-scripts', '--prefix', directory]);
if (installed.status !== 0) throw new Error(installed.stderr);

for (const { name } of VARIANTS) {
  const start = performance.now();
  await buildVariant(name);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`built ${imageOf(name)} in ${seconds} s\n`);
}

const files = readdirSync(directory).filter((file) => file.endsWith('.test.ts'));
// One file after the other: some of them measure times.
const options = ['--import', 'tsx', '--test', '--test-concurrency=1', '--test-reporter=spec'];
const tests = spawnSync(
  process.execPath,
  [...options, ...files.map((file) => `${directory}${file}`)],
  { stdio: 'inherit', env: { ...process.env, IMAGE_TAG: TAG } },
);
await docker('image', 'rm', '--force', ...VARIANTS.map(({ name }) => imageOf(name)));
process.exitCode = tests.status ?? 1;

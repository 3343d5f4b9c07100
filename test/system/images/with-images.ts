import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VARIANTS } from '../../support/service.ts';
import { buildVariant, docker, imageOf, run, TAG } from './docker.ts';

/**
 * Builds both images, runs the tests of a folder against them, and removes them. Without an engine
 * nothing is tested, which is a failure only in CI.
 * @param folder has the tests, and a package.json with their dependencies
 * @param prepare makes other images that the tests need
 * @returns the exit status
 */
export async function testWithImages(
  folder: URL,
  prepare: () => Promise<void> = async () => {},
): Promise<number> {
  const { status, stderr } = await run('docker', ['info']).catch((error: Error) => ({
    status: 1,
    stderr: error.message,
  }));
  if (status !== 0) {
    process.stderr.write(`not tested: no Docker engine answers: ${stderr.trim()}\n`);
    return process.env.CI === 'true' ? 1 : 0;
  }

  const directory = fileURLToPath(folder);
  for (const { name } of VARIANTS) {
    const start = performance.now();
    await buildVariant(name);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(`built ${imageOf(name)} in ${seconds} s\n`);
  }
  await prepare();

  const files = readdirSync(directory).filter((file) => file.endsWith('.test.ts'));
  // One file at a time, because some measure times.
  const options = ['--import', 'tsx', '--test', '--test-concurrency=1', '--test-reporter=spec'];
  const tests = spawnSync(
    process.execPath,
    [...options, ...files.map((file) => `${directory}${file}`)],
    { stdio: 'inherit', env: { ...process.env, IMAGE_TAG: TAG } },
  );
  await docker('image', 'rm', '--force', ...VARIANTS.map(({ name }) => imageOf(name)));
  return tests.status ?? 1;
}

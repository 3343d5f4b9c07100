import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Runs a test runner in an environment. @throws Error with its output if a test fails */
async function run(runner: string, ...args: readonly string[]): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const options = { cwd: HERE, env: { ...env, CI: 'true' }, timeout: 120_000 };
    await promisify(execFile)(`${HERE}node_modules/.bin/${runner}`, args, options);
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`${runner} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

describe('the package in the process of tests', () => {
  for (const environment of ['node', 'jsdom']) {
    it(`works in Jest, environment ${environment}`, () =>
      run('jest', '--env', environment, '--testMatch', '**/*.jest.cjs'));
  }

  for (const environment of ['node', 'jsdom', 'happy-dom']) {
    it(`works in Vitest, environment ${environment}`, () =>
      run('vitest', 'run', '--environment', environment, '--dir', 'suites'));
  }
});

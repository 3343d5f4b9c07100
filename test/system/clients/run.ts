import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HERE } from './documents.ts';

const execute = promisify(execFile);

/** Turns off the telemetry of tools. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/**
 * Runs a tool of this folder's packages.
 * @returns its standard output
 * @throws Error with all its output if its status is not 0
 */
export async function run(tool: string, ...args: readonly string[]): Promise<string> {
  return runProgram(`${HERE}node_modules/.bin/${tool}`, args);
}

/**
 * Runs any program.
 * @param env variables that it gets besides those of this process
 * @returns its standard output
 * @throws Error with all its output if its status is not 0
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { cwd: HERE, env: { ...process.env, ...QUIET, ...env }, maxBuffer: 2 ** 26 };
    return (await execute(program, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`);
  }
}

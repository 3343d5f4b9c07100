import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** Checks the types of a program in TypeScript, with those of the generated client beside it. */
export async function checkTypes(program: string): Promise<void> {
  const target = ['--target', 'esnext', '--module', 'preserve', '--lib', 'esnext,dom,dom.iterable'];
  const check = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
  const types = ['--types', 'node', '--typeRoots', `${HERE}../../../node_modules/@types`];
  await run('tsc', ...target, ...check, ...types, program);
}

/** Compiles a program in Java with a client that the generator has made in a folder, and runs it. */
export async function runJava(client: string, program: URL, ...args: string[]): Promise<void> {
  const pathFile = `${client}/class-path.txt`;
  const resolve = ['dependency:build-classpath', `-Dmdep.outputFile=${pathFile}`];
  await runProgram('mvn', ['-q', '-B', '-f', `${client}/pom.xml`, ...resolve]);
  const classPath = `${client}/classes:${readFileSync(pathFile, 'utf8')}`;
  const sources = readdirSync(`${client}/src/main`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => `${client}/src/main/${file}`);
  const compile = ['-nowarn', '-cp', classPath, '-d', `${client}/classes`];
  await runProgram('javac', [...compile, fileURLToPath(program), ...sources]);
  await runProgram('java', ['-cp', classPath, basename(program.pathname, '.java'), ...args]);
}

/** Runs a program in Python with a client that the generator has made in a folder. */
export async function runPython(client: string, program: string, ...args: string[]): Promise<void> {
  const venv = `${client}/venv`;
  await runProgram('python3', ['-m', 'venv', venv]);
  const requirements = ['-r', `${client}/requirements.txt`];
  await runProgram(`${venv}/bin/pip`, ['install', '--quiet', ...requirements]);
  await runProgram(`${venv}/bin/python`, [program, ...args], { PYTHONPATH: client });
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

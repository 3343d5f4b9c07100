import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTodoService } from '../../../src/package/index.ts';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import { VARIANTS } from '../../support/service.ts';

/*
 * Holds Schemathesis, with all its checks and phases, against the API document of both variants.
 * Checks that do not apply are in schemathesis.toml, in hooks.py and below, with the reasons. Runs
 * `schemathesis` from the PATH, or installs it from PyPI; without either it fails. Arguments are
 * passed on, such as `--include-path=/api/todos` or `--seed=2`.
 */

const VERSION = '4.32.5';

/** How long the package index may take to answer, in seconds. */
const PATIENCE_S = 5;

/** How often event streams are ended, since Schemathesis reads them to the end, in milliseconds. */
const CUT_MS = 50;

/**
 * The option of each run. Schemathesis cannot read an event stream. The admin paths come last,
 * because the faults that are set there stay; they never hit these paths.
 */
const PUBLIC = '--exclude-path-regex=^/admin/|/events$';
const RUNS = [PUBLIC, '--include-path-regex=^/admin/'];

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TOKEN = 'a-token';

const scratch = temporaryFolder();

const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const program = installed();
const passed = await Promise.all([
  ...VARIANTS.map(({ name }) => passes(`variant ${name}`, { variant: name }, RUNS)),
  // The admin paths are those of the variants.
  passes('an own resource', { resource: `${ROOT}examples/own-resource/note.schema.json` }, [
    PUBLIC,
  ]),
]);
if (passed.includes(false)) process.exitCode = 1;

/** The program in the version above, installed if need be. */
function installed(): string {
  if (isPinned('schemathesis')) return 'schemathesis';
  if (!isInstalledIn(scratch)) {
    throw new Error(
      `schemathesis ${VERSION} is not on the PATH, and cannot be installed from PyPI`,
    );
  }
  return join(scratch, 'bin/schemathesis');
}

/** Installs it from PyPI in a virtual environment. Fails within seconds without a reachable index. */
function isInstalledIn(folder: string): boolean {
  if (spawnSync('python3', ['-m', 'venv', folder]).status !== 0) return false;
  const options = ['--quiet', '--retries=0', `--timeout=${PATIENCE_S}`];
  const args = ['install', ...options, `schemathesis==${VERSION}`];
  return spawnSync(join(folder, 'bin/pip'), args).status === 0;
}

function isPinned(path: string): boolean {
  const { stdout } = spawnSync(path, ['--version'], { env: environment, encoding: 'utf8' });
  return stdout?.trim() === `schemathesis, version ${VERSION}`;
}

/** @returns whether all runs of a service pass */
async function passes(
  name: string,
  options: { readonly variant: string } | { readonly resource: string },
  runs: readonly string[],
): Promise<boolean> {
  const service = await startTodoService(Object({ ...options, env: { ADMIN_TOKEN: TOKEN } }));
  const cutting = setInterval(() => service.cutStreams(), CUT_MS);
  const passed: boolean[] = [];
  for (const option of runs) {
    const title = `${name} ${option}`;
    passed.push(await run(program, [`${service.url}/openapi.json`, option], title));
  }
  clearInterval(cutting);
  await service.stop();
  return !passed.includes(false);
}

/** @returns whether something was tested, and nothing was found; else it prints the report */
async function run(program: string, what: readonly string[], title: string): Promise<boolean> {
  const settings = ['--config-file', join(HERE, 'schemathesis.toml')];
  // On a busy machine, it takes long to make values of many parameters.
  const patience = '--suppress-health-check=too_slow';
  const args = [...settings, 'run', patience, ...what, ...process.argv.slice(2)];
  const env = { ...environment, ADMIN_TOKEN: TOKEN, SCHEMATHESIS_HOOKS: join(HERE, 'hooks.py') };
  const child = spawn(program, args, { cwd: scratch, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const output = await text(child.stdout);
  const [status] = await exit;
  const [, tested] = /Test cases:\n *(\d+ generated.*)/.exec(output) ?? [];
  const isPassed = status === 0 && tested !== undefined;
  process.stdout.write(`${isPassed ? '' : output}${title}: ${tested ?? 'nothing was tested'}\n`);
  return isPassed;
}

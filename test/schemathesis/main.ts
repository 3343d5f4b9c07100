import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, VARIANTS } from '../support/service.ts';
import { installFromPypi } from '../support/virtual-environment.ts';

/*
 * Holds Schemathesis, with all its checks, against the API document and the service, for both
 * variants. It needs Python 3 and PyPI; without them it says so, and nothing is tested.
 */

const RELEASE = 'schemathesis==4.32.5';

/** The same requests each time. */
const SEED = 1;
const EXAMPLES = 30;

/** A stream of events never ends, and a fault that is injected would fail all other requests. */
const LEFT_OUT = ['--exclude-path-regex', '/events$|^/admin/'];

const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
process.once('exit', () => rmSync(folder, { recursive: true }));

if (!installFromPypi(folder, RELEASE)) {
  process.stdout.write(`Nothing was tested: ${RELEASE} cannot be installed from PyPI\n`);
} else {
  for (const variant of VARIANTS) {
    const service = await startService(variant);
    const status = await run(`${service.baseUrl}/openapi.json`);
    await service.stop();
    if (status !== 0) process.exitCode = 1;
  }
}

/** @returns the exit status: 0 if no check has failed */
async function run(document: string): Promise<number> {
  const args = ['run', document, '--checks=all', `--seed=${SEED}`, `--max-examples=${EXAMPLES}`];
  const program = join(folder, 'bin/schemathesis');
  const child = spawn(program, [...args, ...LEFT_OUT], { stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  return status ?? 1;
}

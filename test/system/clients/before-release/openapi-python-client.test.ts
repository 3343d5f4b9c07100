import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../support/folder.ts';
import { VARIANTS } from '../../../support/service.ts';
import { installFromPypi } from '../../../support/virtual-environment.ts';
import { documented, HERE } from '../documents.ts';
import { runProgram } from '../run.ts';

const RELEASE = 'openapi-python-client==0.29.1';

const environment = temporaryFolder();
const isInstalled = installFromPypi(environment, RELEASE);
const bin = join(environment, 'bin');

const TOKEN = 'a-token';

for (const variant of VARIANTS) {
  const title = `openapi-python-client makes a client of variant ${variant.name.toUpperCase()}`;
  it(title, async (test) => {
    assert(isInstalled, `${RELEASE} cannot be installed from PyPI`);
    const options = { env: { ADMIN_TOKEN: TOKEN } };
    const { baseUrl, folder, file } = await documented(test, 'python-client', variant, options);
    const env = { PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: folder };
    const output = ['--output-path', `${folder}/todo_client`, '--meta', 'none'];
    const generate = ['generate', '--path', file, ...output, '--fail-on-warning'];
    await runProgram(join(bin, 'openapi-python-client'), generate, env);
    const program = `${HERE}before-release/programs/openapi-python-client.py`;
    await runProgram(join(bin, 'python'), [program, baseUrl, TOKEN], env);
  });
}

import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { VARIANTS } from '../support/service.ts';
import { documented, HERE } from './documents.ts';
import { run, runProgram } from './run.ts';

const JAR = `${HERE}node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar`;

/** What a generated client imports. */
const MODULES = ['certifi', 'dateutil', 'six', 'urllib3'];

/** A Python that has them: the one in use or, where that is another, the system's. */
const PYTHON = ['python3', '/usr/bin/python3'].find((python) =>
  runs(python, '-c', `import ${MODULES}`),
);

const LACKING =
  (!runs('java', '-version') && 'it needs Java') ||
  (PYTHON === undefined && `it needs Python 3 with ${MODULES.join(', ')}`);

const TOKEN = 'a-token';

for (const variant of VARIANTS) {
  const title = `openapi-generator makes a Python client of variant ${variant.name.toUpperCase()}`;
  it(title, { skip: LACKING }, async (test) => {
    const options = { env: { ADMIN_TOKEN: TOKEN } };
    const { baseUrl, folder, file } = await documented(test, 'openapi-generator', variant, options);
    // The last version that npm has, instead of a program that downloads it, reads OpenAPI 3.0.
    const older = `${folder}/openapi-3.0.json`;
    await run('openapi-down-convert', '--input', file, '--output', older, '--allOf');
    const generate = ['generate', '-g', 'python', '-i', older, '-o', folder];
    await runProgram('java', ['-jar', JAR, ...generate, '--package-name', 'todo_client']);
    const program = `${HERE}programs/openapi-generator.py`;
    await runProgram(`${PYTHON}`, [program, baseUrl, TOKEN], { PYTHONPATH: folder });
  });
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

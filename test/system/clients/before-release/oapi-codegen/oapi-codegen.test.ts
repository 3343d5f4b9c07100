import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VARIANTS } from '../../../../support/service.ts';
import { TOKEN, withAdmin } from '../../openapi-generator.ts';
import { runProgram } from '../../run.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TOOL = ['tool', '-C', HERE, 'oapi-codegen'];

/* Members that are null are left out here, so nothing is removed by a PATCH. */
for (const variant of VARIANTS) {
  it(`oapi-codegen makes a client of variant ${variant.name}`, async (test) => {
    const { baseUrl, folder, file } = await withAdmin(test, 'oapi-codegen', variant);
    for (const name of ['main.go', 'go.mod', 'go.sum']) cpSync(HERE + name, `${folder}/${name}`);
    mkdirSync(`${folder}/todo`);
    const options = ['-package', 'todo', '-generate', 'types,client'];
    writeFileSync(`${folder}/todo/todo.go`, await runProgram('go', [...TOOL, ...options, file]));
    await runProgram('go', ['run', '-C', folder, '.', baseUrl, TOKEN]);
  });
}

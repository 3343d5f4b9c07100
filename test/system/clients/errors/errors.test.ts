import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { type Documented, documented } from '../documents.ts';
import { generateClient } from '../openapi-generator.ts';
import { checkTypes, run, runJava, runProgram, runPython } from '../run.ts';

/** The newest version of oapi-codegen. */
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** Makes a client in a folder, and runs a program with it, which handles 404 and 412. */
type Try = (documented: Documented) => Promise<unknown>;

/** The clients whose types distinguish errors by status, by the generator that makes them. */
const CLIENTS: Readonly<Record<string, Try>> = {
  async 'openapi-typescript'({ folder, file, baseUrl }) {
    await run('openapi-typescript', file, '--output', `${folder}/client.ts`);
    await runTypeScript('openapi-typescript.ts', folder, baseUrl);
  },

  async orval({ folder, file, baseUrl }) {
    const output = { target: `${folder}/client.ts`, client: 'fetch', baseUrl };
    const config = `export default ${JSON.stringify({ todo: { input: file, output } })};\n`;
    writeFileSync(`${folder}/orval.config.mjs`, config);
    await run('orval', '--config', `${folder}/orval.config.mjs`);
    await runTypeScript('orval.ts', folder, baseUrl);
  },

  async 'oapi-codegen'({ folder, file, baseUrl }) {
    copy('oapi-codegen.go', folder, 'main.go');
    writeFileSync(`${folder}/go.mod`, 'module client\n\ngo 1.24\n');
    mkdirSync(`${folder}/todo`);
    const options = ['-generate=types,client', '-package=todo', `-o=${folder}/todo/client.go`];
    const go = (...args: string[]) => runProgram('go', args, { GOFLAGS: '-mod=mod' });
    await go('run', OAPI_CODEGEN, ...options, file);
    await go('-C', folder, 'run', '.', baseUrl);
  },

  async java({ folder, file, baseUrl }) {
    const client = `${folder}/client`;
    await generateClient('java', file, client, ['--library', 'jersey3']);
    await runJava(client, new URL('programs/Errors.java', import.meta.url), baseUrl);
  },

  async python({ folder, file, baseUrl }) {
    await generateClient('python', file, `${folder}/client`);
    await runPython(`${folder}/client`, fileOf('errors.py'), baseUrl);
  },

  async php({ folder, file, baseUrl }) {
    await generateClient('php', file, `${folder}/client`);
    await runProgram('php', [fileOf('errors.php'), `${folder}/client`, baseUrl]);
  },
};

describe('a generated client handles 404 and 412 by their types', () => {
  for (const [generator, tryOut] of Object.entries(CLIENTS)) {
    it(`by ${generator}`, async (test) => {
      const service = await documented(test, `errors-${generator}`, variantA);
      const headers = { 'Content-Type': 'application/json' };
      const created = { method: 'POST', headers, body: '{"title": "Buy milk"}' };
      await fetch(`${service.baseUrl}/api/todos`, created);
      await tryOut(service);
    });
  }
});

/** Checks the types of a program beside its client, and runs it. */
async function runTypeScript(name: string, folder: string, baseUrl: string): Promise<void> {
  copy(name, folder, 'program.ts');
  await checkTypes(`${folder}/program.ts`);
  await runProgram(process.execPath, ['--import', 'tsx', `${folder}/program.ts`, baseUrl]);
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

function copy(name: string, folder: string, as: string): void {
  cpSync(fileOf(name), `${folder}/${as}`);
}

import { cpSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resourceOfFile } from '../../../../src/service/resource/schema/resource-file.ts';
import { ROOT } from '../../../support/folder.ts';
import { documented } from '../documents.ts';
import { generateClient } from '../openapi-generator.ts';
import { checkTypes, runProgram, runPython } from '../run.ts';

const NOTE = resourceOfFile(`${ROOT}examples/own-resource/note.schema.json`);

const programOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

it('openapi-generator makes a client for python of an own resource', async (test) => {
  const { baseUrl, folder, file } = await documented(test, 'own-python', NOTE);
  await generateClient('python', file, `${folder}/client`);
  await runPython(`${folder}/client`, programOf('notes.py'), baseUrl);
});

it('openapi-generator makes a client for typescript-fetch of an own resource', async (test) => {
  const { baseUrl, folder, file } = await documented(test, 'own-typescript', NOTE);
  await generateClient('typescript-fetch', file, `${folder}/client`);
  const program = `${folder}/notes.ts`;
  cpSync(programOf('notes.ts'), program);
  await checkTypes(program);
  await runProgram(process.execPath, ['--import', 'tsx', program, baseUrl]);
});

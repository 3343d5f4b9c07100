import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HERE } from '../documents.ts';
import { LIST_NAME, TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { run, runProgram } from '../run.ts';

testGeneratedClient({
  generator: 'typescript-fetch',
  run: async (folder, url) => {
    const program = `${folder}/../program.ts`;
    cpSync(fileURLToPath(new URL('program.ts', import.meta.url)), program);
    const target = ['--target', 'esnext', '--module', 'preserve', '--lib', 'esnext,dom'];
    const check = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'];
    await run(
      'tsc',
      ...check,
      ...target,
      '--types',
      'node',
      '--typeRoots',
      `${HERE}../../../node_modules/@types`,
      program,
    );
    // A list with a name is everything once more, at another base URL.
    for (const base of [url, `${url}/lists/${LIST_NAME}`]) {
      await runProgram(process.execPath, ['--import', 'tsx', program, base, TOKEN]);
    }
  },
});

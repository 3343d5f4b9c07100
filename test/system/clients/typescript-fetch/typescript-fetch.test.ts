import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HERE } from '../documents.ts';
import { TOKEN, testGeneratedClient } from '../openapi-generator.ts';
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
    await runProgram(process.execPath, ['--import', 'tsx', program, url, TOKEN]);
  },
});

import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LIST_NAME, TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { checkTypes, runProgram } from '../run.ts';

testGeneratedClient({
  generator: 'typescript-fetch',
  run: async (folder, url) => {
    const program = `${folder}/../program.ts`;
    cpSync(fileURLToPath(new URL('program.ts', import.meta.url)), program);
    await checkTypes(program);
    // A list with a name is everything once more, at another base URL.
    for (const base of [url, `${url}/lists/${LIST_NAME}`]) {
      await runProgram(process.execPath, ['--import', 'tsx', program, base, TOKEN]);
    }
  },
});

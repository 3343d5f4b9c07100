import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { runProgram } from '../run.ts';

testGeneratedClient({
  generator: 'go',
  run: (folder, url) => {
    cpSync(fileURLToPath(new URL('main.go', import.meta.url)), `${folder}/program/main.go`);
    return runProgram('go', ['run', '-C', folder, './program', url, TOKEN]);
  },
});

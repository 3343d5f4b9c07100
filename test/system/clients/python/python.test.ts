import { fileURLToPath } from 'node:url';
import { TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { runPython } from '../run.ts';

testGeneratedClient({
  generator: 'python',
  run: (folder, url) => {
    const program = fileURLToPath(new URL('program.py', import.meta.url));
    return runPython(folder, program, url, TOKEN);
  },
});

import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installFromPypi } from '../../../../support/virtual-environment.ts';
import { CACHE, TOKEN, testGeneratedClient } from '../../openapi-generator.ts';
import { runProgram } from '../../run.ts';

const PROGRAM = fileURLToPath(new URL('main.py', import.meta.url));

testGeneratedClient({
  generator: 'python',
  run: async (folder, url) => {
    const environment = `${CACHE}/python`;
    const python = `${environment}/bin/python`;
    if (!existsSync(python)) {
      const requirements = `--requirement=${folder}/requirements.txt`;
      if (!installFromPypi(environment, requirements)) {
        rmSync(environment, { recursive: true, force: true });
        throw new Error('what the client needs cannot be installed from PyPI');
      }
    }
    await runProgram(python, [PROGRAM, url, TOKEN], { PYTHONPATH: folder });
  },
});

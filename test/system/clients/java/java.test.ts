import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { runProgram } from '../run.ts';

/* The generator knows no event streams here: `watchTodos` returns when the stream has ended. */
testGeneratedClient({
  generator: 'java',
  options: ['--library', 'native', '--additional-properties=useSingleRequestParameter=true'],
  run: async (folder, url) => {
    const pathFile = `${folder}/class-path.txt`;
    const resolve = ['dependency:build-classpath', `-Dmdep.outputFile=${pathFile}`];
    await runProgram('mvn', ['-q', '-B', '-f', `${folder}/pom.xml`, ...resolve]);
    const classPath = `${folder}/classes:${readFileSync(pathFile, 'utf8')}`;
    const all = readdirSync(`${folder}/src/main`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .map((file) => `${folder}/src/main/${file}`);
    const compile = ['-nowarn', '-cp', classPath, '-d', `${folder}/classes`];
    const program = fileURLToPath(new URL('Program.java', import.meta.url));
    await runProgram('javac', [...compile, program, ...all]);
    await runProgram('java', ['-cp', classPath, 'Program', url, TOKEN]);
  },
});

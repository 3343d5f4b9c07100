import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { TOKEN, testGeneratedClient, withNamedArguments } from '../openapi-generator.ts';
import { runProgram } from '../run.ts';

/* The generator knows no event streams here: `watchTodos` returns when the stream has ended. */
testGeneratedClient({
  generator: 'java',
  options: ['--library', 'native'],
  run: async (folder, url) => {
    const pathFile = `${folder}/class-path.txt`;
    const resolve = ['dependency:build-classpath', `-Dmdep.outputFile=${pathFile}`];
    await runProgram('mvn', ['-q', '-B', '-f', `${folder}/pom.xml`, ...resolve]);
    const classPath = `${folder}/classes:${readFileSync(pathFile, 'utf8')}`;
    const api = `${folder}/src/main/java/org/openapitools/client/api`;
    const sources = readdirSync(api).map((file) => readFileSync(`${api}/${file}`, 'utf8'));
    const parameters = (name: string) => parametersOf(name, sources.join('\n'));
    const program = readFileSync(new URL('Program.java', import.meta.url), 'utf8');
    mkdirSync(`${folder}/classes`);
    writeFileSync(`${folder}/Program.java`, withNamedArguments(program, parameters, 'null'));
    const all = readdirSync(`${folder}/src/main`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .map((file) => `${folder}/src/main/${file}`);
    const compile = ['-nowarn', '-cp', classPath, '-d', `${folder}/classes`];
    await runProgram('javac', [...compile, `${folder}/Program.java`, ...all]);
    await runProgram('java', ['-cp', classPath, 'Program', url, TOKEN]);
  },
});

/** The names of a method's parameters; of its two forms, that without other header fields. */
function parametersOf(method: string, source: string): readonly string[] {
  const [, parameters = ''] =
    new RegExp(`public \\S+ ${method}\\((.*)\\) throws`).exec(source) ?? [];
  return parameters.split(/,(?= @)/).map((parameter) => parameter.split(' ').at(-1) ?? '');
}

import { cpSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CACHE, TOKEN, testGeneratedClient } from '../../openapi-generator.ts';
import { runProgram } from '../../run.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const COMPILER = 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler';

/*
 * A null cannot be told from an absent member here, so nothing is removed by a PATCH, and the
 * generator knows no event streams.
 */
testGeneratedClient({
  generator: 'kotlin',
  run: async (folder, url) => {
    // The compiler as a class: Maven's plugin leaves a daemon behind.
    const pathFile = `${CACHE}/kotlin-class-path.txt`;
    const resolve = ['dependency:build-classpath', `-Dmdep.outputFile=${pathFile}`];
    await runProgram('mvn', ['-q', '-B', '-f', `${HERE}pom.xml`, ...resolve]);
    const libraries = readFileSync(pathFile, 'utf8');
    cpSync(`${HERE}Program.kt`, `${folder}/src/main/kotlin/Program.kt`);
    const target = ['-no-stdlib', '-nowarn', '-cp', libraries, '-d', `${folder}/classes`];
    const compile = ['-Xmx1g', '-cp', libraries, COMPILER, ...target, `${folder}/src/main/kotlin`];
    await runProgram('java', compile);
    await runProgram('java', ['-cp', `${folder}/classes:${libraries}`, 'ProgramKt', url, TOKEN]);
  },
});

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CACHE, TOKEN, testGeneratedClient, withNamedArguments } from '../../openapi-generator.ts';
import { runProgram } from '../../run.ts';

/* The generator knows no event streams here: `watch_todos` returns when the stream has ended. */
testGeneratedClient({
  generator: 'rust',
  run: async (folder, url) => {
    const apis = readdirSync(`${folder}/src/apis`).map((file) => `${folder}/src/apis/${file}`);
    const source = apis.map((file) => readFileSync(file, 'utf8')).join('\n');
    const program = readFileSync(new URL('main.rs', import.meta.url), 'utf8');
    const parameters = (name: string) => parametersOf(name, source);
    writeFileSync(`${folder}/src/main.rs`, withNamedArguments(program, parameters, 'None'));
    const runtime = '[dependencies.tokio]\nversion = "1"\nfeatures = ["macros", "rt"]';
    appendFileSync(`${folder}/Cargo.toml`, `\n${runtime}\n`);
    const env = { CARGO_TARGET_DIR: `${CACHE}/rust`, CARGO_PROFILE_DEV_DEBUG: 'none' };
    const build = ['run', '--quiet', '--manifest-path', `${folder}/Cargo.toml`];
    await runProgram('cargo', [...build, '--', url, TOKEN], env);
  },
});

/** The names of a function's parameters behind the configuration. */
function parametersOf(name: string, source: string): readonly string[] {
  const signature = new RegExp(`pub async fn ${name}\\(configuration: [^,]*, (.*)\\) ->`);
  const [, parameters = ''] = signature.exec(source) ?? [];
  return parameters.split(/,\s+/).map((parameter) => parameter.split(':', 1)[0] ?? '');
}

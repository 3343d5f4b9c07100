import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../support/folder.ts';
import { UNCOUNTED } from '../support/process.ts';

const run = promisify(execFile);

const LEFT_OUT = ['.git', 'node_modules', 'dist'];

/** New files, changes to files, and the commands that then succeed. */
interface Example {
  readonly files: ReadonlyMap<string, string>;
  readonly diffs: readonly string[];
  readonly commands: readonly string[];
}

/** The properties of a field that items may have, for filters and orders as well. */
const DUE_DATE = `
  kind: 'timestamp', description: 'When it is due.', nullable: true,
  index: 'ordered', create: {}, update: true,
`;

/** The worked example of CONTRIBUTING.md. */
function workedExample(): Example {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, section = ''] = /^## A worked example: .*?\n(.*?)^## /ms.exec(text) ?? [];
  return {
    files: new Map(
      [...section.matchAll(/`([^`\n]+)`:\n\n```ts\n(.*?)```\n/gs)].map(
        ([, file = '', text = '']) => [file, text],
      ),
    ),
    diffs: [...section.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, text = '']) => text),
    commands: [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text),
  };
}

/** Copies the project, with its tests, to a temporary folder. */
function copyOfProject(): string {
  const folder = temporaryFolder();
  cpSync(ROOT, folder, { recursive: true, filter: (file) => !LEFT_OUT.includes(basename(file)) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Applies a diff, whose hunks have no line numbers. */
function apply(folder: string, diff: string): void {
  for (const part of diff.split(/^--- .*\n/m).slice(1)) {
    const [header = '', ...hunks] = part.split(/^@@.*\n/m);
    const [, name = ''] = /^\+\+\+ b\/(.+)$/m.exec(header) ?? [];
    const file = join(folder, name);
    let text = readFileSync(file, 'utf8');
    for (const hunk of hunks) {
      const lines = hunk.match(/^.*\n/gm) ?? [];
      const side = (other: string) =>
        lines.flatMap((line) => (line.startsWith(other) ? [] : line.slice(1))).join('');
      const parts = text.split(side('+'));
      assert.equal(parts.length, 2, `${name} has these lines once:\n${side('+')}`);
      text = parts.join(side('-'));
    }
    writeFileSync(file, text);
  }
}

/** Runs commands in a folder, and asserts that they succeed. */
async function runAll(folder: string, commands: readonly string[]): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...UNCOUNTED };
  for (const script of commands) {
    await run('sh', ['-ec', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }).catch(
      ({ stdout, stderr }) => assert.fail(`${script}\n${failures(`${stdout}${stderr}`)}`),
    );
  }
}

/** The failing tests in the output of a test run, or the end of another output. */
function failures(output: string): string {
  const start = output.indexOf('failing tests:');
  return start === -1 ? output.slice(-8_000) : output.slice(start, start + 8_000);
}

it('the worked example of CONTRIBUTING.md passes everything that npm test runs', async () => {
  const { files, diffs, commands } = workedExample();
  assert(files.size > 0 && diffs.length > 0 && commands.length > 0);
  const folder = copyOfProject();
  for (const [file, text] of files) {
    assert(!existsSync(join(folder, file)), `${file} is new`);
    writeFileSync(join(folder, file), text);
  }
  for (const diff of diffs) apply(folder, diff);
  await runAll(folder, commands);
});

it('a nullable field of both variants passes it, too, when the documents show it', async () => {
  const folder = copyOfProject();
  for (const variant of ['a', 'b']) {
    const file = join(folder, `src/service/todo/variant-${variant}.ts`);
    const text = readFileSync(file, 'utf8');
    const end = '  },\n  api,\n';
    assert(text.includes(end), file);
    writeFileSync(file, text.replace(end, `    dueDate: {${DUE_DATE}},\n${end}`));
  }
  for (const name of ['README.md', 'docs/api.md']) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/("completed":\w+,"priority":\d)/g, '$1,"dueDate":null'));
  }
  await runAll(folder, ['npx biome check --write src/service/todo', 'npm test']);
});

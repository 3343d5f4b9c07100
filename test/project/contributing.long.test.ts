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

/** Applies a diff, whose hunks have no line numbers. Returns the files it has changed. */
function apply(folder: string, diff: string): readonly string[] {
  return diff
    .split(/^--- .*\n/m)
    .slice(1)
    .map((part) => {
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
      return name;
    });
}

it('the worked example of CONTRIBUTING.md compiles, and its tests pass', async () => {
  const { files, diffs, commands } = workedExample();
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...UNCOUNTED };
  assert(files.size > 0 && diffs.length > 0 && commands.length > 0);
  const folder = copyOfProject();
  for (const [file, text] of files) {
    assert(!existsSync(join(folder, file)), `${file} is new`);
    writeFileSync(join(folder, file), text);
  }
  const changed = diffs.flatMap((diff) => apply(folder, diff));
  const sources = [...files.keys(), ...changed].filter((file) => file.endsWith('.ts'));
  const check = `npx biome check --error-on-warnings ${sources.join(' ')}`;
  // The examples in the documents run the build.
  const first = ['npm run --silent build', 'npm run --silent types', check];
  for (const script of [...first, ...commands]) {
    await run('sh', ['-ec', script], { cwd: folder, env }).catch(({ stdout, stderr }) =>
      assert.fail(`${script}\n${`${stdout}${stderr}`.slice(-8_000)}`),
    );
  }
});

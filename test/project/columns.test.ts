import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The formatter keeps code within this width, but wraps neither comments nor documents. */
const COLUMNS = 100;

const COMMENT = /^\s*(?:\/\/|\/\*|\* )/;

/** What cannot be wrapped in Markdown: tables, and blocks of code. */
const UNWRAPPABLE = /^\|.*$|^```.*?^ *```$|^ {4}.*$/gms;

function filesIn(folder: string, name: RegExp, recursive = true): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((file) => name.test(file) && !/node_modules|generated/.test(file))
    .map((file) => join(folder, file));
}

function longLines(file: string, text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.length > COLUMNS)
    .map((line) => `${file}: ${line}`);
}

it(`no comment extends beyond column ${COLUMNS}`, () => {
  const files = ['bench', 'scripts', 'src', 'test'].flatMap((each) =>
    filesIn(each, /\.(?:ts|js|cjs)$/),
  );
  assert(files.includes('src/main.ts'));
  const long = files.flatMap((file) => longLines(file, readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(
    long.filter((line) => COMMENT.test(line.slice(line.indexOf(': ') + 2))),
    [],
  );
});

it(`documents are merged, and their prose ends at column ${COLUMNS}`, () => {
  const files = ['docs', 'src', 'examples'].flatMap((each) => filesIn(each, /\.md$/));
  for (const file of [...filesIn('', /\.md$/, false), ...files]) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    assert.doesNotMatch(text, /^(?:<{7}|>{7}) /m, file);
    assert.deepEqual(longLines(file, text.replaceAll(UNWRAPPABLE, '')), []);
  }
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

const MAX_LINES = 300;

const MAX_FILES = 16;

/** Outside of the page, whose client is compiled by itself. */
const MAX_CASTS = 12;
const MAX_STAND_INS = 80;

const CAST = /[\w)\]}] as (?!const\b)(?=[A-Za-z{(])/;
const STAND_IN = /\?\? (?:0|''|\{\})(?!\w)/g;
const PROSE = /^\s*(?:\*|\/[/*])|^(?:import|export) |'[^']* as [^']*'|`[^`]* as [^`]*/;

const linesOf = (file: string) => readFileSync(join(SRC, file), 'utf8').trimEnd().split('\n');

describe('src', () => {
  const served = FILES.filter((file) => !file.startsWith('web-page/client/'));

  it(`has no file of more than ${MAX_LINES} lines`, () => {
    const long = FILES.filter((file) => linesOf(file).length > MAX_LINES);
    assert.deepEqual(long, []);
  });

  it(`has no folder of more than ${MAX_FILES} files`, () => {
    const folders = new Set(FILES.map((file) => dirname(file)));
    const full = [...folders].filter(
      (folder) => FILES.filter((file) => dirname(file) === folder).length > MAX_FILES,
    );
    assert.deepEqual(full, []);
  });

  it(`casts at most ${MAX_CASTS} times`, () => {
    const casts = served.flatMap((file) =>
      linesOf(file).filter((line) => CAST.test(line) && !PROSE.test(line)),
    );
    assert(casts.length <= MAX_CASTS, `${casts.length} casts:\n${casts.join('\n')}`);
  });

  it(`has at most ${MAX_STAND_INS} values in place of what is missing`, () => {
    const found = served.flatMap((file) =>
      [...linesOf(file).join('\n').matchAll(STAND_IN)].map(() => file),
    );
    assert(found.length <= MAX_STAND_INS, `${found.length} of ?? 0, '' and {}`);
  });
});

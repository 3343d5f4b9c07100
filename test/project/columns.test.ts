import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The formatter keeps code within this width, but does not wrap comments. */
const COLUMNS = 100;

const COMMENT = /^\s*(?:\/\/|\/\*|\* )/;

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|js|cjs)$/.test(file) && !/node_modules|generated/.test(file))
    .map((file) => join(folder, file));
}

it(`no comment extends beyond column ${COLUMNS}`, () => {
  const files = ['bench', 'scripts', 'src', 'test'].flatMap(filesBelow);
  assert(files.includes('src/main.ts'));
  const long = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        COMMENT.test(line) && line.length > COLUMNS ? [`${file}:${i + 1}`] : [],
      ),
  );
  assert.deepEqual(long, []);
});

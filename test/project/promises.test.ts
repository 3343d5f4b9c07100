import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** A promise that nobody waits for: the linter refuses those that are not marked so. */
const FLOATING = /(?:^|\s)void [\w$.#]+\(/;

/** How many lines above it may say why. */
const REACH = 3;

it('each promise that nobody waits for has a comment that says why', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const unexplained = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const lines = readFileSync(join(SRC, file), 'utf8').split('\n');
      const isExplained = (at: number) =>
        lines.slice(Math.max(0, at - REACH), at).some((line) => line.trim().startsWith('//'));
      return lines.flatMap((line, at) =>
        FLOATING.test(line) && !line.trim().startsWith('*') && !isExplained(at)
          ? [`${file}:${at + 1}: ${line.trim()}`]
          : [],
      );
    });
  assert.deepEqual(unexplained, []);
});

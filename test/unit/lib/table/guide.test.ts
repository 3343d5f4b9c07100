import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const GUIDE = readFileSync(join(ROOT, 'src/lib/table/README.md'), 'utf8');
const run = promisify(execFile);

test('the examples of the README, run in order, print what they show', async (context) => {
  const program = [...GUIDE.matchAll(/```ts\n([^`]+)```/g)].map(([, example]) => example).join('');
  const expected = [...program.matchAll(/console\.log\(.*\); \/\/ (.+)/g)].map(([, line]) => line);
  assert(expected.length >= 6);
  const folder = mkdtempSync(join(ROOT, 'test', 'guide-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'example.ts');
  writeFileSync(file, program.replace("'./src/", "'../../src/"));
  const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: ROOT });
  assert.deepEqual(stdout.trimEnd().split('\n'), expected);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../../../src/lib/table', import.meta.url));

describe('the library of tables', () => {
  test('prints what the README shows, in a folder of its own', async (context) => {
    const guide = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const examples = [...guide.matchAll(/```ts\n([^`]+)```/g)].map(([, example]) => example);
    const program = examples.join('').replace("'./src/lib/", "'./");
    const expected = [...program.matchAll(/console\.log\(.*\); \/\/ (.+)/g)].map(
      ([, line]) => line,
    );
    assert(expected.length >= 5);
    const outside = mkdtempSync(join(tmpdir(), 'table-'));
    context.after(() => rmSync(outside, { recursive: true }));
    cpSync(FOLDER, join(outside, 'table'), { recursive: true });
    writeFileSync(join(outside, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(outside, 'example.ts'), program);
    const args = ['--import', import.meta.resolve('tsx'), 'example.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: outside });
    assert.deepEqual(stdout.trimEnd().split('\n'), expected);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { UNCOUNTED } from '../support/process.ts';

/** A copy of what the build makes. */
function builtProgram(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'todo-service-'));
  test.after(() => rmSync(folder, { recursive: true }));
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

describe('the code that the build makes of the program', () => {
  it('is the same each time, byte for byte', (test) => {
    const folder = builtProgram(test);
    const args = ['--random-seed=1', 'scripts/code-cache.js'];
    // Counting coverage changes the code.
    const env = { ...process.env, ...UNCOUNTED };
    execFileSync(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
    const again = readFileSync(join(folder, 'dist/program.cache'));
    assert(again.equals(readFileSync('dist/program.cache')));
  });
});

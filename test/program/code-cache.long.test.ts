import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { builtProgram } from '../support/built-program.ts';
import { UNCOUNTED } from '../support/process.ts';

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

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { VERSION } from '../../src/service/version.ts';
import { builtProgram } from '../support/built-program.ts';
import { UNCOUNTED } from '../support/process.ts';

const CODE = readFileSync('dist/program.cache');

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

  for (const [what, bytes] of [
    ['cut off', CODE.subarray(0, 1000)],
    ['damaged in a block', Buffer.from(CODE).fill(0, CODE.length / 4, CODE.length / 2)],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    it(`is not used if it is ${what}`, (test) => {
      const folder = builtProgram(test);
      writeFileSync(join(folder, 'dist/program.cache'), bytes);
      const args = ['dist/main.js', '--version'];
      const version = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      assert.equal(version, `${VERSION}\n`);
    });
  }
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Script } from 'node:vm';
import { VERSION } from '../../src/service/version.ts';
import { builtProgram } from '../support/built-program.ts';

function versionOf(folder: string): string {
  return execFileSync(process.execPath, ['dist/main.js', '--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
}

/** The code of some functions for a program of four functions. */
const FOREIGN = new Script('() => () => () => () => 1').createCachedData();

const CODE = readFileSync('dist/program.cache');

/** The file with a byte in eight thousand changed in its first half, or a block of it lost. */
function damaged(change: (half: Buffer) => void): Buffer {
  const bytes = Buffer.from(CODE);
  change(bytes.subarray(0, bytes.length / 2));
  return bytes;
}

describe('the code that the build makes of the program', () => {
  it('is used by the Node that made it', () => {
    const script = new Script(readFileSync('dist/program.js', 'latin1'), {
      cachedData: CODE.subarray(0, CODE.length / 2),
    });
    assert.equal(script.cachedDataRejected, false);
  });

  it('is not needed', (test) => {
    const folder = builtProgram(test);
    rmSync(join(folder, 'dist/program.cache'));
    assert.equal(versionOf(folder), `${VERSION}\n`);
  });

  for (const [what, bytes] of [
    ['of another program', Buffer.concat([FOREIGN, FOREIGN])],
    ['half', CODE.subarray(0, CODE.length / 2)],
    [
      'damaged in many bytes',
      damaged((half) => {
        for (let at = 100; at < half.length; at += 8_000) half[at] = ~(half[at] ?? 0);
      }),
    ],
  ] as const) {
    it(`is not used if it is ${what}`, (test) => {
      const folder = builtProgram(test);
      writeFileSync(join(folder, 'dist/program.cache'), bytes);
      assert.equal(versionOf(folder), `${VERSION}\n`);
    });
  }
});

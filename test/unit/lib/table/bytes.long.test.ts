import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The bytes that a table counts for some rows, and the growth of its process' memory. */
interface Line {
  readonly kind: string;
  readonly counted: number;
  readonly measured: number;
}

describe('the bytes that a table counts', () => {
  const script = fileURLToPath(new URL('support/measure-bytes.ts', import.meta.url));
  const args = ['--expose-gc', '--import', 'tsx', script];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  for (const line of printed.trim().split('\n')) {
    const { kind, counted, measured }: Line = JSON.parse(line);

    it(`match the growth of the process within a tenth: ${kind}`, () => {
      const ratio = counted / measured;
      assert.ok(ratio > 0.9 && ratio < 1.1, `${counted} of ${measured}: ${ratio.toFixed(3)}`);
    });
  }
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The bytes that a table counts for some rows, and the growth of its process' heap. */
interface Line {
  readonly kind: string;
  /** Once everything has been folded, indexed and searched. */
  readonly counted: number;
  readonly measured: number;
  /** Counted before indexing. */
  readonly pending: number;
  /** Measured before indexing. */
  readonly written: number;
}

describe('the bytes that a table counts', () => {
  const script = fileURLToPath(new URL('support/measure-bytes.ts', import.meta.url));
  const args = [...process.execArgv, '--expose-gc', '--import', 'tsx', script];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  for (const line of printed.trim().split('\n')) {
    const { kind, counted, measured, pending, written }: Line = JSON.parse(line);

    test(`match the growth of the heap: ${kind}`, () => {
      const ratio = counted / measured;
      assert.ok(ratio > 0.9 && ratio < 1.6, `${counted} of ${measured}: ${ratio.toFixed(3)}`);
    });

    test(`include the memory for pending indexing: ${kind}`, () => {
      assert.ok(pending >= counted, `${pending} before, ${counted} after`);
      assert.ok(pending >= 0.9 * written, `${pending} of ${written}`);
      assert.ok(pending < 2.5 * measured, `${pending} of ${measured}`);
    });
  }
});

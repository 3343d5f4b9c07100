import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What a table counts for some rows, and what the heap of its process has grown by, in bytes. */
interface Line {
  readonly kind: string;
  /** When everything is folded, indexed and searched. */
  readonly counted: number;
  readonly measured: number;
  /** Counted before anything was indexed. */
  readonly pending: number;
  /** Measured then. */
  readonly written: number;
}

describe('the bytes that a table counts', () => {
  const script = fileURLToPath(new URL('support/measure-bytes.ts', import.meta.url));
  const args = [...process.execArgv, '--expose-gc', '--import', 'tsx', script];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  for (const line of printed.trim().split('\n')) {
    const { kind, counted, measured, pending, written }: Line = JSON.parse(line);

    test(`are those that the heap has grown by: ${kind}`, () => {
      const ratio = counted / measured;
      assert.ok(ratio > 0.9 && ratio < 1.6, `${counted} of ${measured}: ${ratio.toFixed(3)}`);
    });

    test(`have what indexing takes in them before it is done: ${kind}`, () => {
      assert.ok(pending >= counted, `${pending} before, ${counted} after`);
      assert.ok(pending >= 0.9 * written, `${pending} of ${written}`);
      assert.ok(pending < 2.5 * measured, `${pending} of ${measured}`);
    });
  }
});

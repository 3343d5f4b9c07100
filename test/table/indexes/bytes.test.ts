import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

describe('the bytes that an index counts', () => {
  const script = fileURLToPath(new URL('../support/measure-indexes.ts', import.meta.url));
  const args = [...process.execArgv, '--expose-gc', '--import', 'tsx', script];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  for (const line of printed.trim().split('\n')) {
    const { kind, counted, measured } = JSON.parse(line);

    test(`match the growth of the process: ${kind}`, () => {
      const ratio = counted / measured;
      assert.ok(ratio > 0.9 && ratio < 1.1, `${counted} of ${measured}: ${ratio.toFixed(3)}`);
    });
  }
});

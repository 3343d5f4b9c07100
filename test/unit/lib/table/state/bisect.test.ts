import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstIndex } from '../../../../../src/lib/table/state/bisect.ts';

describe('the first index', () => {
  it('is found in every range, wherever the test becomes true', () => {
    for (let low = 0; low <= 5; low++) {
      for (let high = low; high <= 12; high++) {
        for (let first = low; first <= high + 1; first++) {
          const tested: number[] = [];
          const found = firstIndex(low, high, (index) => {
            tested.push(index);
            return index >= first;
          });
          assert.equal(found, Math.min(first, high), `${first} in ${low} to ${high}`);
          assert(tested.every((index) => index >= low && index < high));
          assert(tested.length <= Math.ceil(Math.log2(high - low + 1)), String(tested));
        }
      }
    }
  });
});

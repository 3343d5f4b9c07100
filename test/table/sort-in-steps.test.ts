import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sortInSteps } from '../../src/table/sort-in-steps.ts';
import { Random, SEED } from './support/random.ts';

describe('sortInSteps', () => {
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

  for (const length of [0, 1, 511, 512, 513, 10_000, 50_000]) {
    it(`sorts ${length} items as Array.prototype.sort does, ties in their order (seed ${SEED})`, () => {
      const random = new Random(SEED);
      const items = Array.from({ length }, (_, place) => ({ key: random.below(500), place }));
      const steps = sortInSteps(items, byKey);
      for (let step = steps.next(); ; step = steps.next()) {
        if (!step.done) continue;
        assert.deepEqual(step.value, items.toSorted(byKey));
        break;
      }
    });
  }

  it('compares only some thousand items between two steps', () => {
    let compared = 0;
    let most = 0;
    const items = Array.from({ length: 100_000 }, (_, i) => ({ key: (i * 7919) % 100_003 }));
    const steps = sortInSteps(items, (a, b) => {
      compared++;
      return byKey(a, b);
    });
    for (const _ of steps) {
      most = Math.max(most, compared);
      compared = 0;
    }
    assert(most < 10_000, `${most} comparisons`);
  });
});

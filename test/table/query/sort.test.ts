import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sortInSteps } from '../../../src/table/query/sort.ts';
import { Table } from '../../../src/table/table.ts';
import { Random, SEED } from '../support/random.ts';

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

  it('is how a table gives the first of many rows in an order', () => {
    const table = new Table({
      id: { kind: 'integer', identity: { from: 1, to: 10_000 } },
      rank: { kind: 'integer' },
    });
    const ranks = Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 5_003);
    for (const rank of ranks) table.insert({ rank });
    const first = table.cursor([], { orderBy: [{ column: 'rank' }], offset: 2, limit: 3 });
    assert.deepEqual(
      [...first].map(({ rank }) => rank),
      ranks.toSorted((a, b) => a - b).slice(2, 5),
    );
  });
});

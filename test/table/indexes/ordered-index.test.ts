import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderedIndex } from '../../../src/table/indexes/ordered-index.ts';
import { Random, SEED } from '../support/random.ts';

const NULL = { value: null, included: true };

test(`an ordered index equals a sorted list (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const index = new OrderedIndex('value', 'integer');
  const values = new Map<number, number | null>();
  const row = (value: number | null | undefined) => (value === undefined ? undefined : { value });
  const write = (slot: number, value: number | null | undefined) => {
    const before = values.get(slot);
    if (value === undefined) values.delete(slot);
    else values.set(slot, value);
    index.replace(slot, row(before), row(value));
    index.replace(slot, row(before), row(value));
  };
  const sorted = () =>
    [...values]
      .sort(([a, x], [b, y]) => (x ?? -1) - (y ?? -1) || a - b)
      .map(([slot, value]) => ({ slot, value }));

  for (const spread of [3, 50, 100_000]) {
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 500; i++) {
        const value = random.pick([random.below(spread), random.below(spread), null, undefined]);
        write(random.below(3000), value);
      }
      const entries = sorted();
      const all = index.between(NULL);
      assert.deepEqual(
        [...index.slots(all)].flat(),
        entries.map(({ slot }) => slot),
      );
      assert.equal(index.count(all), entries.length);
      const blocks = index.bytes / (16 * 512 + 1000);
      assert.ok(blocks >= entries.length / 512, 'no block grows without bound');
      assert.ok(blocks < 2 + entries.length / 100, 'there are few small ones');
      const from = { value: random.below(spread), included: random.chance(2) };
      const to = { value: random.below(spread), included: random.chance(2) };
      const within = entries.filter(
        ({ value }) =>
          value !== null &&
          (from.included ? value >= from.value : value > from.value) &&
          (to.included ? value <= to.value : value < to.value),
      );
      const span = index.between(from, to);
      assert.deepEqual(
        [...index.slots(span)].flat(),
        within.map(({ slot }) => slot),
      );
      assert.equal(index.count(span), within.length);
      const descending = within.sort(
        (a, b) => (b.value ?? -1) - (a.value ?? -1) || a.slot - b.slot,
      );
      assert.deepEqual(
        [...index.slots(span, 'desc')].flat(),
        descending.map(({ slot }) => slot),
      );
    }
    for (const slot of [...values.keys()]) write(slot, undefined);
    assert.equal(index.bytes, 0, 'nothing is left after removing everything');
  }
});

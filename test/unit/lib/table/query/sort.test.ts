import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pace, WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import { type Batches, Sorter } from '../../../../../src/lib/table/query/sort.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../support/random.ts';

interface Item {
  readonly key: number;
  readonly place: number;
}

/** A run of 64 items is sorted at once; before and after, a few are merged. */
const COMPARED_AT_ONCE = 64 * Math.log2(64) + 2 * WORK_PER_CLOCK_READ * Math.log2(1600);

/** The number of comparisons so far. */
let compared = 0;

function compare(a: Item, b: Item): number {
  compared++;
  return a.key - b.key || a.place - b.place;
}

/** Adds items in batches, and then reads them in order, in one sequence of steps. */
function* sorted(sorter: Sorter<Item>, items: readonly Item[]): Batches<Item> {
  for (let at = 0; at < items.length; at += 512) yield* sorter.add(items.slice(at, at + 512));
  yield* sorter.sorted();
}

function itemsOf(length: number): Item[] {
  const random = new Random(SEED);
  return Array.from({ length }, (_, place) => ({ key: random.below(500), place }));
}

describe('a sorter', () => {
  for (const length of [0, 1, 2, 1023, 1024, 1025, 10_000, 50_000]) {
    const items = itemsOf(length);
    for (const wanted of [0, 1, 20, 3000, Number.POSITIVE_INFINITY]) {
      it(`returns the first ${wanted} of ${length} items in order (seed ${SEED})`, () => {
        const sorter = new Sorter(compare, wanted, Pace.endless());
        const found: Item[] = [];
        let kept = 0;
        for (const batch of sorted(sorter, items)) {
          if (!batch) continue;
          assert.ok(batch.length <= 512, `${batch.length} at a time`);
          found.push(...batch);
          kept = Math.max(kept, sorter.size);
        }
        const expected = items.toSorted(compare).slice(0, wanted);
        assert.equal(found.length, expected.length);
        assert.ok(found.every((item, i) => item === expected[i]));
        assert.ok(kept <= 2 * wanted + 1536, `${kept} are kept at a time`);
      });
    }
  }

  it('compares no more than it needs for a run between two reads of the clock', () => {
    let most = 0;
    compared = 0;
    const clock = () => {
      most = Math.max(most, compared);
      compared = 0;
      return 0;
    };
    const sorter = new Sorter(compare, Number.POSITIVE_INFINITY, new Pace(clock));
    for (const _ of sorted(sorter, itemsOf(100_000)));
    assert.ok(most <= COMPARED_AT_ONCE, `${most} comparisons`);
  });

  it('ends its step as soon as the time is up', () => {
    const pace = new Pace(() => 0);
    pace.beginStep();
    const impatient = new Pace(() => Number.POSITIVE_INFINITY);
    const steps = (each: Pace) =>
      [...sorted(new Sorter(compare, 100, each), itemsOf(10_000))].length;
    assert.ok(steps(impatient) > 10_000 / WORK_PER_CLOCK_READ);
    assert.ok(steps(pace) < 20);
  });

  it('sorts no more than a run in a step that is over at once, whether it sorts or merges', () => {
    for (const wanted of [100, Number.POSITIVE_INFINITY]) {
      const impatient = new Pace(() => Number.POSITIVE_INFINITY);
      let most = 0;
      compared = 0;
      for (const batch of sorted(new Sorter(compare, wanted, impatient), itemsOf(9999))) {
        most = Math.max(most, compared);
        compared = 0;
        assert.ok((batch ?? []).length <= 512);
      }
      assert.ok(most <= COMPARED_AT_ONCE, `${most} comparisons`);
    }
  });

  it('is what a table uses for the first of many rows in an order', () => {
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

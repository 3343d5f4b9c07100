import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENDLESS, Pace, WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import { type Batches, Sorter } from '../../../../../src/lib/table/query/sort.ts';
import { Random, SEED } from '../support/random.ts';

interface Item {
  readonly key: number;
  readonly place: number;
}

/** The comparisons of items that are put into a heap, between two reads of the clock. */
const COMPARED_AT_ONCE = 2 * WORK_PER_CLOCK_READ * Math.log2(100_000);

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
  for (const length of [0, 1, 2, 1023, 10_000, 50_000]) {
    const items = itemsOf(length);
    for (const wanted of [0, 1, 20, 3000, Number.POSITIVE_INFINITY]) {
      it(`returns the first ${wanted} of ${length} items in order (seed ${SEED})`, () => {
        const sorter = new Sorter(compare, wanted, ENDLESS);
        const found: Item[] = [];
        for (const batch of sorted(sorter, items)) {
          assert.ok(sorter.size <= wanted, `${sorter.size} are kept at a time`);
          if (!batch) continue;
          assert.ok(batch.length <= 512, `${batch.length} at a time`);
          found.push(...batch);
        }
        const expected = items.toSorted(compare).slice(0, wanted);
        assert.equal(found.length, expected.length);
        assert.ok(found.every((item, i) => item === expected[i]));
      });
    }
  }

  it('compares a few items between two reads of the clock, and ends its step in time', () => {
    for (const wanted of [100, Number.POSITIVE_INFINITY]) {
      let most = 0;
      compared = 0;
      const clock = () => {
        most = Math.max(most, compared);
        compared = 0;
        return Number.POSITIVE_INFINITY;
      };
      const steps = [...sorted(new Sorter(compare, wanted, new Pace(clock)), itemsOf(100_000))];
      assert.ok(Math.max(most, compared) <= COMPARED_AT_ONCE, `${most} comparisons`);
      assert.ok(steps.length > 100_000 / WORK_PER_CLOCK_READ);
    }
    const pace = new Pace(() => 0);
    pace.beginStep();
    assert.ok([...sorted(new Sorter(compare, 100, pace), itemsOf(10_000))].length < 20);
  });
});

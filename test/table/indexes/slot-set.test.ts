import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Bitmap,
  CHUNK_SIZE,
  countOf,
  intersection,
  slotsOf,
  union,
} from '../../../src/table/indexes/bitmap.ts';
import { wordsOf } from '../../../src/table/indexes/bits.ts';
import { SlotSet } from '../../../src/table/indexes/slot-set.ts';
import { Random, SEED } from '../support/random.ts';

const FAR = 2 ** 24;

function slotsIn(bitmap: Bitmap): number[] {
  return [...slotsOf(bitmap)].flat();
}

function sorted(slots: Iterable<number>): number[] {
  return [...slots].sort((a, b) => a - b);
}

/** A slot in one of a few chunks, near others. */
function randomSlot(random: Random): number {
  const start = random.pick([0, CHUNK_SIZE - 20, 7 * CHUNK_SIZE, FAR]);
  return start + random.below(40);
}

describe('a set of slots', () => {
  test(`behaves like a Set, and its snapshots do not change (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const slots = new SlotSet();
    const model = new Set<number>();
    const snapshots: { bitmap: Bitmap; slots: number[]; size: number }[] = [];
    for (let i = 0; i < 20_000; i++) {
      const slot = randomSlot(random);
      if (random.chance(20)) {
        const some = sorted(Array.from({ length: 10 }, () => randomSlot(random)));
        slots.deleteAll(wordsOf(some));
        for (const each of some) model.delete(each);
      } else if (random.chance(2)) {
        slots.add(slot);
        model.add(slot);
      } else {
        slots.delete(slot);
        model.delete(slot);
      }
      assert.equal(slots.has(slot), model.has(slot));
      assert.equal(slots.size, model.size);
      if (random.chance(400)) {
        snapshots.push({ bitmap: slots.snapshot(), slots: sorted(model), size: model.size });
      }
    }
    for (const { bitmap, slots: expected, size } of snapshots) {
      assert.deepEqual(slotsIn(bitmap), expected);
      assert.equal(bitmap.size, size);
      assert.equal(countOf(bitmap), size);
    }
  });

  test('uses no memory for removed slots, wherever they were', () => {
    const slots = new SlotSet();
    for (let start = 0; start < 100 * CHUNK_SIZE; start += CHUNK_SIZE) slots.add(start);
    const { bytes } = slots;
    for (let start = 0; start < 99 * CHUNK_SIZE; start += CHUNK_SIZE) slots.delete(start);
    assert.ok(slots.bytes < bytes / 20, `${slots.bytes} bytes for one slot`);
    assert.deepEqual(slotsIn(slots.snapshot()), [99 * CHUNK_SIZE]);
    slots.delete(99 * CHUNK_SIZE);
    assert.equal(slots.bytes, 0);
    slots.add(2 ** 40);
    assert.deepEqual(slotsIn(slots.snapshot()), [2 ** 40], 'nor for the slots before them');
    assert.ok(slots.bytes < 2000, `${slots.bytes} bytes`);
    slots.delete(2 ** 40);
    slots.add(3);
    assert.deepEqual(slotsIn(slots.snapshot()), [3]);
  });
});

describe('bitmaps', () => {
  test('of nothing are empty', () => {
    assert.equal(union([]).size, 0);
    assert.equal(union([new SlotSet().snapshot()]).size, 0);
    assert.deepEqual(slotsIn(union([])), []);
  });

  test(`are united and intersected (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < 100; round++) {
      const sets = Array.from(
        { length: random.below(4) },
        () => new Set(random.list(60, () => randomSlot(random))),
      );
      const bitmaps = sets.map((set) => {
        const slots = new SlotSet();
        for (const slot of set) slots.add(slot);
        return slots.snapshot();
      });
      const any = union(bitmaps);
      const inAny = new Set(sets.flatMap((set) => [...set]));
      assert.deepEqual(slotsIn(any), sorted(inAny));
      assert.equal(countOf(any), inAny.size);
      assert.ok(any.size >= inAny.size);
      const [a, b] = bitmaps;
      if (!a || !b) continue;
      const inBoth = [...(sets[0] ?? [])].filter((slot) => sets[1]?.has(slot));
      assert.deepEqual(slotsIn(intersection(a, b)), sorted(inBoth));
      assert.equal(countOf(intersection(intersection(a, b), any)), inBoth.length);
      assert.ok(intersection(a, b).size >= inBoth.length);
      assert.deepEqual(slotsIn(a), sorted(sets[0] ?? []), 'the operands do not change');
    }
  });
});

import { countBits, type Mask, WORD_BITS, wordAt } from '../bits.ts';
import type { Leaf } from '../rows/leaf.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import type { Criteria } from './criteria.ts';
import type { Pace } from './pace.ts';

/** Instead of a slot: all rows of a leaf have been tested. */
const ALL_TESTED = -1;

/** Makes an empty mask of the rows of leaves, with `LEAF_WORDS` words for each leaf. */
export function maskFor(leaves: readonly Leaf[]): Mask {
  return new Int32Array(leaves.length * LEAF_WORDS);
}

/**
 * Finds the rows that match, in steps: a filter removes rows from the mask of each leaf, and if it
 * is not exact, the rows that are left are tested.
 * @param mask receives the matching rows
 * @returns their number
 */
export function* findMatches(
  leaves: readonly Leaf[],
  criteria: Criteria,
  pace: Pace,
  mask: Mask,
): Generator<undefined, number> {
  const { filter, cost } = criteria;
  let count = 0;
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i] as Leaf;
    const base = i * LEAF_WORDS;
    leaf.copyRowsTo(mask, base);
    const isTested = filter?.(leaf, mask, base);
    for (let at = isTested ? 0 : ALL_TESTED; at !== ALL_TESTED; ) {
      at = testRows(leaf, at, mask, base, criteria, pace);
      if (at !== ALL_TESTED) yield;
    }
    count += countBits(mask, base, base + LEAF_WORDS);
    if (pace.count(cost)) yield;
  }
  return count;
}

/**
 * Tests the rows of a leaf that are in a mask, from a slot on, until the step is over. Not part of
 * the generator, where V8 runs such a loop more slowly.
 * @returns the slot to go on at, or `ALL_TESTED`
 */
function testRows(
  leaf: Leaf,
  from: number,
  mask: Mask,
  base: number,
  { test, cost }: Criteria,
  pace: Pace,
): number {
  const matches = test();
  for (let at = from; at < LEAF_SLOTS; at = (at | (WORD_BITS - 1)) + 1) {
    const index = base + (at >>> 5);
    const found = wordAt(mask, index);
    let matching = found;
    for (let left = found & (-1 << at); left !== 0; left &= left - 1) {
      const bit = left & -left;
      const tested = (at & -WORD_BITS) + 31 - Math.clz32(bit);
      const row = leaf.rowAt(tested);
      if (!row || !matches(row)) matching ^= bit;
      if (pace.count(cost)) {
        mask[index] = matching;
        return tested + 1;
      }
    }
    mask[index] = matching;
  }
  return ALL_TESTED;
}

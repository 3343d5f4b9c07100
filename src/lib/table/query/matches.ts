import { countBits, type Mask, WORD_BITS, wordAt } from '../bits.ts';
import type { Leaf } from '../rows/leaf.ts';
import { LEAF_WORDS } from '../slots.ts';
import type { Criteria } from './criteria.ts';
import type { Pace } from './pace.ts';

/** Makes a mask of the rows of leaves, with some words for each leaf. */
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
  { filter, test, cost }: Criteria,
  pace: Pace,
  mask: Mask,
): Generator<undefined, number> {
  let count = 0;
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i] as Leaf;
    const base = i * LEAF_WORDS;
    leaf.copyRowsTo(mask, base);
    const matches = filter?.(leaf, mask, base) ? test() : undefined;
    for (let w = 0; matches && w < LEAF_WORDS; w++) {
      const found = wordAt(mask, base + w);
      let matching = found;
      for (let left = found; left !== 0; left &= left - 1) {
        const bit = left & -left;
        const row = leaf.rowAt(w * WORD_BITS + 31 - Math.clz32(bit));
        if (!row || !matches(row)) matching ^= bit;
        if (pace.count(cost)) yield;
      }
      mask[base + w] = matching;
    }
    count += countBits(mask, base, base + LEAF_WORDS);
    if (pace.count(cost)) yield;
  }
  return count;
}

import { WORD_BITS } from './bits.ts';

/**
 * The number of slots of a leaf. A write to a leaf that an open list retains copies the leaf, which
 * takes about a microsecond.
 */
export const LEAF_SLOTS = 512;
export const LEAF_WORDS = LEAF_SLOTS / WORD_BITS;

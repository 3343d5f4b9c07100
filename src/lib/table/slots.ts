import { WORD_BITS } from './bits.ts';

/** The slots of a leaf. A write under an open list copies one, which takes about a microsecond. */
export const LEAF_SLOTS = 512;
export const LEAF_WORDS = LEAF_SLOTS / WORD_BITS;

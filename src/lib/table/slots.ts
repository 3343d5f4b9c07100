import { WORD_BITS } from './bits.ts';

/** Rows are copied by leaves: with 512 rows, a copy takes about a microsecond. */
export const LEAF_SLOTS = 512;
export const LEAF_WORDS = LEAF_SLOTS / WORD_BITS;

/** Texts are searched by chunks: 2 KiB of a bitmap are read in one go. */
export const CHUNK_LEAVES = 32;
export const CHUNK_SLOTS = CHUNK_LEAVES * LEAF_SLOTS;
export const CHUNK_WORDS = CHUNK_SLOTS / WORD_BITS;

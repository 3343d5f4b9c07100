import { clearBit, countBits, type Mask, positionsIn, WORD_BITS, wordAt } from '../bits.ts';
import type { Chunk } from '../rows/chunk.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { Chunks } from '../rows/open-snapshots.ts';
import { UNITS_PER_SEARCH } from '../rows/text-index.ts';
import type { StoredRow } from '../schema/column.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import type { Criteria, Found } from './criteria.ts';
import type { Pace } from './pace.ts';
import type { Batches } from './sort.ts';

/** Options of {@link Scan.rows}. */
interface Wanted {
  /** Whether rows must be tested. */
  readonly isTested: boolean;
  /** The maximum length of a batch. */
  readonly most?: number;
  /** Whether to begin with the highest id. */
  readonly descending?: boolean;
}

/** Finds the matching rows of chunks, one chunk after the other, in steps. */
export class Scan {
  readonly criteria: Criteria;
  /** The rows of the current chunk that match, or that may match. */
  readonly mask: Mask;
  readonly #chunks: Chunks;
  readonly #pace: Pace;
  #unitsToSign = UNITS_PER_SEARCH;

  constructor(chunks: Chunks, criteria: Criteria, pace: Pace, mask: Mask) {
    this.#chunks = chunks;
    this.criteria = criteria;
    this.mask = mask;
    this.#pace = pace;
  }

  /**
   * Fills the mask with the rows of a chunk that may match.
   * @param value the number of a mask of leaves, to leave only rows with that value
   */
  find(chunk: Chunk, value?: number): Found {
    const { filter, searchesTexts } = this.criteria;
    if (searchesTexts && this.#unitsToSign > 0) {
      this.#unitsToSign = this.#chunks.texts.sign(chunk, this.#unitsToSign);
    }
    chunk.fillMask(this.mask, value);
    return filter ? filter(chunk, this.mask) : 'matches';
  }

  /** Counts the rows in the mask. */
  count({ words }: Chunk): number {
    return countBits(this.mask, 0, words);
  }

  /** Leaves only the matching rows of a leaf in the mask. */
  *testLeaf(leaf: Leaf, index: number): Generator<undefined, void> {
    const { mask } = this;
    const { cost } = this.criteria;
    const test = this.criteria.test();
    const base = index * LEAF_WORDS;
    for (const at of positionsIn(mask, base, base + LEAF_WORDS)) {
      const row = leaf.rowAt(at);
      const matches = row && test(row);
      if (!matches) clearBit(mask, index * LEAF_SLOTS + at);
      if (this.#pace.note(cost)) yield;
    }
  }

  /** Finds the matching rows among the rows in the mask. */
  *rows(chunk: Chunk, wanted: Wanted): Batches<StoredRow> {
    const { isTested, most = Number.POSITIVE_INFINITY, descending = false } = wanted;
    const test = isTested ? this.criteria.test() : undefined;
    const { cost } = this.criteria;
    const { mask } = this;
    const { leaves } = chunk;
    const count = chunk.words / LEAF_WORDS;
    let found: StoredRow[] = [];
    for (let n = 0; n < count; n++) {
      const leafIndex = descending ? count - 1 - n : n;
      const leaf = leaves[leafIndex];
      if (!leaf) continue;
      const { isDense, rows } = leaf;
      const base = leafIndex * LEAF_WORDS;
      for (let i = 0; i < LEAF_WORDS; i++) {
        const w = descending ? LEAF_WORDS - 1 - i : i;
        for (let left = wordAt(mask, base + w); left !== 0; ) {
          const bit = 31 - Math.clz32(descending ? left : left & -left);
          left ^= 1 << bit;
          const at = w * WORD_BITS + bit;
          // The direct access saves a tenth of a search that tests every row.
          const row = isDense ? rows[at] : leaf.rowAt(at);
          if (!row) continue;
          if (!test || test(row)) found.push(row);
          const isOver = test !== undefined && this.#pace.note(cost);
          if (!isOver && found.length < most) continue;
          yield found;
          found = [];
        }
      }
      // A reader may hold a batch for long, such as the list of a slow client.
      if (found.length < LEAF_SLOTS && !this.#pace.isOver()) continue;
      yield found;
      found = [];
    }
    if (found.length > 0) yield found;
  }
}

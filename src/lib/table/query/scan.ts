import { clearBit, countBits, hasBit, type Mask, onesIn, positionsIn, wordAt } from '../bits.ts';
import type { Chunk } from '../rows/chunk.ts';
import type { Chunks } from '../rows/chunk-list.ts';
import type { Leaf } from '../rows/leaf.ts';
import { UNITS_PER_SEARCH } from '../rows/text-index.ts';
import type { StoredRow } from '../schema/column.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import type { Criteria, Found } from './criteria.ts';
import { type Pace, WORK_PER_CLOCK_READ } from './pace.ts';
import type { Batches } from './sort.ts';

/** Which rows of a chunk to find. */
interface Wanted {
  /** The maximum length of a batch. */
  readonly most?: number;
  /** Whether to begin with the highest id. */
  readonly descending?: boolean;
  /** The index of the only leaf to read. */
  readonly leaf?: number;
}

/** Finds the matching rows of chunks, one chunk after the other, in steps. */
export class Scan {
  readonly criteria: Criteria;
  readonly chunks: Chunks;
  /** The rows of the current chunk that match, or that may match. */
  readonly mask: Mask;
  readonly #pace: Pace;
  #unitsToSign = UNITS_PER_SEARCH;

  constructor(chunks: Chunks, criteria: Criteria, pace: Pace, mask: Mask) {
    this.chunks = chunks;
    this.criteria = criteria;
    this.mask = mask;
    this.#pace = pace;
  }

  /** Fills the mask with the rows of a chunk that may match. */
  find(chunk: Chunk): Found {
    const { filter, searchesTexts } = this.criteria;
    if (searchesTexts && chunk.isCurrent && this.#unitsToSign > 0) {
      this.#unitsToSign = this.chunks.texts.signMore(chunk, this.#unitsToSign);
    }
    chunk.fillLive(this.mask);
    return filter ? filter.narrow(chunk, this.mask) : 'matches';
  }

  /** Counts the rows in the mask. */
  count({ size, words }: Chunk): number {
    return this.criteria.filter ? countBits(this.mask, 0, words) : size;
  }

  /** Removes leaves from the mask that have no more rows than an offset. Returns the rest of it. */
  skip({ words }: Chunk, offset: number, descending = false): number {
    let left = offset;
    for (let n = 0; n < words && left > 0; n += LEAF_WORDS) {
      const base = descending ? words - LEAF_WORDS - n : n;
      const count = countBits(this.mask, base, base + LEAF_WORDS);
      if (count > left) break;
      this.mask.fill(0, base, base + LEAF_WORDS);
      left -= count;
    }
    return left;
  }

  /** Leaves only the rows with a value in the mask: those of a mask of their leaves. */
  keepValue({ leaves, words }: Chunk, value: number): void {
    const { mask } = this;
    for (let base = 0; base < words; base += LEAF_WORDS) {
      const bits = leaves[base / LEAF_WORDS]?.bits;
      if (!bits) continue;
      for (let w = 0; w < LEAF_WORDS; w++) {
        mask[base + w] = wordAt(mask, base + w) & wordAt(bits, value * LEAF_WORDS + w);
      }
    }
  }

  /** Leaves only the matching rows of a leaf in the mask. */
  *testLeaf(leaf: Leaf, index: number): Generator<undefined, void> {
    const { mask } = this;
    const { cost } = this.criteria;
    const test = this.criteria.test();
    const base = index * LEAF_WORDS;
    for (const at of positionsIn(mask, base, base + LEAF_WORDS)) {
      const row = leaf.rowAt(at);
      const matches = row && test(row, hasBit(leaf.bits, LEAF_SLOTS + at));
      if (!matches) clearBit(mask, index * LEAF_SLOTS + at);
      if (this.#pace.note(cost)) yield;
    }
  }

  /** Counts the matching rows of a chunk. */
  *countMatches(chunk: Chunk): Generator<undefined, number> {
    const found = this.find(chunk);
    if (found === 'nothing') {
      if (this.#pace.note(this.criteria.cost)) yield;
      return 0;
    }
    if (found === 'candidates') {
      for (const [i, leaf] of chunk.leaves.entries()) if (leaf) yield* this.testLeaf(leaf, i);
    } else if (this.#pace.note(this.criteria.cost)) yield;
    return this.count(chunk);
  }

  /** Finds the matching rows among those in the mask. */
  *rows(chunk: Chunk, isExact: boolean, wanted: Wanted = {}): Batches<StoredRow> {
    const { most = Number.POSITIVE_INFINITY, descending = false, leaf: only } = wanted;
    const test = isExact ? undefined : this.criteria.test();
    const cost = isExact ? 1 / WORK_PER_CLOCK_READ : this.criteria.cost;
    const { mask } = this;
    const { leaves } = chunk;
    const count = only === undefined ? chunk.words / LEAF_WORDS : 1;
    let found: StoredRow[] = [];
    for (let n = 0; n < count; n++) {
      const leafIndex = only ?? (descending ? count - 1 - n : n);
      const leaf = leaves[leafIndex];
      if (!leaf) continue;
      const { bits, isDense, rows } = leaf;
      const base = leafIndex * LEAF_WORDS;
      /** The number of rows of the leaf in the words before this one. */
      let before = descending ? rows.length : 0;
      for (let i = 0; i < LEAF_WORDS; i++) {
        const w = descending ? LEAF_WORDS - 1 - i : i;
        const live = wordAt(bits, w);
        if (descending && !isDense) before -= onesIn(live);
        for (let left = wordAt(mask, base + w); left !== 0; ) {
          const bit = 31 - Math.clz32(descending ? left : left & -left);
          left ^= 1 << bit;
          const index = isDense ? w * 32 + bit : before + onesIn(live & ~(-1 << bit));
          const row = rows[index];
          if (row === undefined) continue;
          const isIrregular = ((wordAt(bits, LEAF_WORDS + w) >>> bit) & 1) === 1;
          if (!test || test(row, isIrregular)) found.push(row);
          if (!this.#pace.note(cost) && found.length < most) continue;
          yield found;
          found = [];
        }
        if (!descending && !isDense) before += onesIn(live);
      }
    }
    if (this.#pace.note(WORK_PER_CLOCK_READ) || found.length > 0) yield found;
  }
}

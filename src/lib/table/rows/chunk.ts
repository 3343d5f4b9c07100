import { type Mask, wordAt } from '../bits.ts';
import { CHUNK_LEAVES, LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import type { TextBlock } from '../texts/text-block.ts';
import type { Leaf } from './leaf.ts';

/** Measured with V8: the object, and its array of leaves. */
export const CHUNK_BYTES = 700;

/** The leaves of 16,384 consecutive slots, and the index of their texts. */
export class Chunk {
  readonly number: number;
  /** The epoch in which it was made. If a snapshot sees that, a write first copies the chunk. */
  epoch: number;
  readonly bytes = CHUNK_BYTES;
  readonly leaves: (Leaf | undefined)[];
  size = 0;
  /** All rows are at offsets below this one. */
  end = 0;
  /** Finds the texts of the rows at offsets below `signed`. Versions of the chunk share it. */
  block: TextBlock | undefined;
  signed = 0;

  constructor(number: number, epoch: number, from?: Chunk) {
    this.number = number;
    this.epoch = epoch;
    this.leaves = from ? from.leaves.slice() : new Array(CHUNK_LEAVES).fill(undefined);
    if (!from) return;
    this.size = from.size;
    this.end = from.end;
    this.block = from.block;
    this.signed = from.signed;
  }

  copy(epoch: number): Chunk {
    return new Chunk(this.number, epoch, this);
  }

  /** The number of words of masks up to the last leaf that has had a row. */
  get words(): number {
    return Math.ceil(this.end / LEAF_SLOTS) * LEAF_WORDS;
  }

  /** Writes the offsets that have a row to a mask: any row, or one in the value mask `value`. */
  fillMask(mask: Mask, value = 0): void {
    const { words } = this;
    for (let base = 0; base < words; base += LEAF_WORDS) {
      const leaf = this.leaves[base / LEAF_WORDS];
      if (!leaf) mask.fill(0, base, base + LEAF_WORDS);
      else {
        const { bits } = leaf;
        const from = value * LEAF_WORDS;
        for (let w = 0; w < LEAF_WORDS; w++) mask[base + w] = wordAt(bits, from + w);
      }
    }
  }
}

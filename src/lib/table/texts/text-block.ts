import { firstNotBefore } from '../binary-search.ts';
import { countBits, type Mask, setBit, WORD_BITS, wordAt } from '../bits.ts';
import { CHUNK_WORDS, LEAF_WORDS } from '../slots.ts';
import { longer, mixed } from './grams.ts';

/** The greatest number of slices: a block of 8 MiB. */
const MAX_SLICES = 4096;

/** The minimum UTF-16 units per row for which a block gets slices, because texts become longer. */
const MIN_UNITS = 8;

/** Slices per UTF-16 unit of a row. A unit adds two grams, so a fifth of the bits are set. */
const SLICES_PER_UNIT = 9;

/** Above twice its planned units, a block is degraded, because a third of its bits are set. */
const MAX_GROWTH = 2;

/** With fewer rows than this share of its positions, a block wastes memory. */
export const SPARSE = 15 / 16;

/** The number of the rarest grams to look up. More would exclude hardly any row. */
const MAX_GRAMS = 16;

/** Measured with V8: the object, and its arrays without their contents. */
const HEADER_BYTES = 1000;

/** Offsets of rows that were found by their positions in a block. */
const byOffset: Mask = new Int32Array(CHUNK_WORDS);

/** Returns the slice of a gram, by the first half of its hash. */
function sliceOf(hash: number, slices: number): number {
  return ((hash >>> 16) * slices) >>> 16;
}

/** Returns the distance of slices. Multiples of a power of two would share few cache lines. */
function strideOf(words: number): number {
  return words < 128 ? words : words | 16;
}

/**
 * Finds the rows of a chunk that may contain a text (decision 8). Each gram of a row's folded texts
 * sets the bit of the row in one of many bitmaps, the slices. A row can contain a text only if its
 * bit is set in the slices of all grams of that text.
 *
 * While snapshots are open, bits are only added, so versions of a chunk can share a block. Earlier
 * texts of a row make it a false candidate. In a released block, every row is a candidate.
 */
export class TextBlock {
  readonly #meanUnits: number;
  readonly #slices: number;
  /** The number of words of a slice; 0 after it was released. */
  words = 0;
  /** The words from one slice to the next. */
  #stride = 0;
  #bits: Int32Array = new Int32Array();
  /** The offset of each position, in ascending order; undefined if positions are offsets. */
  #offsets: Uint16Array | undefined;
  /** The number of positions that have, or have had, a row. */
  #end = 0;
  /** The UTF-16 units of all texts that were added. */
  #units = 0;

  /**
   * @param meanUnits the UTF-16 units of the texts of a row
   * @param offsets the offsets of the first positions, if rows are numbered without gaps
   */
  constructor(meanUnits: number, offsets?: Uint16Array) {
    this.#meanUnits = Math.max(MIN_UNITS, meanUnits);
    this.#slices = Math.min(MAX_SLICES, Math.ceil(this.#meanUnits * SLICES_PER_UNIT));
    this.#offsets = offsets;
    this.#end = offsets?.length ?? 0;
  }

  get end(): number {
    return this.#end;
  }

  get bytes(): number {
    return this.bytesWith(this.words);
  }

  /** Returns the memory of this block if its slices had `words` words, in bytes. */
  bytesWith(words: number): number {
    if (words === 0) return 0;
    const bits = this.#slices * strideOf(words) * Int32Array.BYTES_PER_ELEMENT;
    const numbers = words * WORD_BITS * Uint16Array.BYTES_PER_ELEMENT;
    return HEADER_BYTES + bits + (this.#offsets ? numbers : 0);
  }

  /** Whether a new block of `live` rows would have far fewer candidates, or take less memory. */
  isDegraded(live: number): boolean {
    const isFull = this.#units > MAX_GROWTH * this.#meanUnits * this.#end;
    return isFull || live < SPARSE * this.#end - WORD_BITS;
  }

  /** Returns the position of an offset, which may be the next new one; -1 if it cannot have one. */
  positionOf(offset: number): number {
    const offsets = this.#offsets;
    if (!offsets) return offset;
    const at = firstNotBefore(this.#end, (index) => wordAt(offsets, index) < offset);
    return at === this.#end || offsets[at] === offset ? at : -1;
  }

  /** Makes slices longer. No text is hashed again. */
  grow(words: number): void {
    const stride = strideOf(words);
    const bits = new Int32Array(this.#slices * stride);
    for (let i = 0; i < this.#slices; i++) {
      const from = i * this.#stride;
      bits.set(this.#bits.subarray(from, from + this.words), i * stride);
    }
    if (this.#offsets) {
      const offsets = new Uint16Array(words * WORD_BITS);
      offsets.set(this.#offsets);
      this.#offsets = offsets;
    }
    this.#bits = bits;
    this.#stride = stride;
    this.words = words;
  }

  /** Frees its memory. */
  release(): void {
    this.words = 0;
    this.#stride = 0;
    this.#bits = new Int32Array();
  }

  /** Assigns the position that {@link positionOf} returned. The block must have grown to it. */
  number(position: number, offset: number): void {
    if (position < this.#end) return;
    this.#end = position + 1;
    if (this.#offsets) this.#offsets[position] = offset;
  }

  /** Removes the texts of the row at a position. No snapshot may use the block. */
  clear(position: number): void {
    const bits = this.#bits;
    const stride = this.#stride;
    const others = ~(1 << position);
    for (let at = position >>> 5; at < bits.length; at += stride) {
      bits[at] = wordAt(bits, at) & others;
    }
    this.#units -= this.#units / this.#end;
  }

  /** Adds a folded text to the row at a position. */
  mark(position: number, text: string): void {
    this.#units += text.length;
    const bits = this.#bits;
    const stride = this.#stride;
    const slices = this.#slices;
    const word = position >>> 5;
    const bit = 1 << position;
    let last = text.charCodeAt(1);
    let pair = longer(text.charCodeAt(0), last);
    let three = 0;
    for (let i = 2; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (i > 2) {
        const index = sliceOf(mixed(longer(three, unit)), slices) * stride + word;
        bits[index] = wordAt(bits, index) | bit;
      }
      three = longer(pair, unit);
      pair = longer(last, unit);
      last = unit;
      const index = sliceOf(mixed(three), slices) * stride + word;
      bits[index] = wordAt(bits, index) | bit;
    }
  }

  /** Returns the rarest grams, rarest first. */
  rarest(all: readonly number[]): readonly number[] {
    // A few hundred rows show how rare a gram is.
    const words = Math.min(this.words, LEAF_WORDS);
    const ranks = new Int32Array(all.length);
    for (let i = 0; i < all.length; i++) {
      const from = sliceOf(all[i] ?? 0, this.#slices) * this.#stride;
      ranks[i] = countBits(this.#bits, from, from + words) * all.length + i;
    }
    // Without a comparator, sorting 100 numbers takes a few microseconds.
    ranks.sort();
    const rarest: number[] = [];
    for (let i = 0; i < ranks.length && i < MAX_GRAMS; i++) {
      rarest.push(all[wordAt(ranks, i) % all.length] ?? 0);
    }
    return rarest;
  }

  /**
   * Removes the rows that lack a gram from a mask of the chunk.
   * @param hashes the grams, the rarest first
   * @param signed the offset of the first row that the block lacks
   * @param words the number of words of the mask that may have rows
   * @returns whether no row is left
   */
  narrow(hashes: readonly number[], signed: number, words: number, mask: Mask): boolean {
    const whole = signed >>> 5;
    let any = 0;
    if (this.#offsets) this.#findByOffset(hashes, this.#offsets);
    const bits = this.#offsets ? byOffset : this.#bits;
    const count = this.#offsets ? 0 : hashes.length;
    const starts: number[] = [];
    for (let i = 0; i < count; i++)
      starts.push(sliceOf(hashes[i] ?? 0, this.#slices) * this.#stride);
    const [first = 0, second = first, third = second] = starts;
    const known = Math.min(whole + 1, words);
    for (let w = 0; w < known; w++) {
      let left = wordAt(bits, first + w) & wordAt(bits, second + w);
      if (left !== 0) left &= wordAt(bits, third + w);
      for (let i = 3; left !== 0 && i < count; i++) left &= wordAt(bits, (starts[i] ?? 0) + w);
      if (w === whole) left |= -1 << signed;
      // Reads the mask for candidates only, because of many rows it is not in a cache.
      if (left !== 0) left &= wordAt(mask, w);
      mask[w] = left;
      any |= left;
    }
    for (let w = known; w < words; w++) any |= wordAt(mask, w);
    return any === 0;
  }

  /** Writes the offsets of the rows that are in the slices of all grams to `byOffset`. */
  #findByOffset(hashes: readonly number[], offsets: Uint16Array): void {
    byOffset.fill(0);
    const bits = this.#bits;
    for (let w = 0; w * WORD_BITS < this.#end; w++) {
      let left = -1;
      for (let i = 0; left !== 0 && i < hashes.length; i++) {
        left &= wordAt(bits, sliceOf(hashes[i] ?? 0, this.#slices) * this.#stride + w);
      }
      for (; left !== 0; left &= left - 1) {
        const position = w * WORD_BITS + 31 - Math.clz32(left & -left);
        setBit(byOffset, wordAt(offsets, position));
      }
    }
  }
}

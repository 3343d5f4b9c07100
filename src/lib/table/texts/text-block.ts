import { hasBit, type Mask, onesIn, setBit, WORD_BITS, wordAt } from '../bits.ts';
import { CHUNK_SLOTS, CHUNK_WORDS } from '../slots.ts';
import { type Grams, longer, mixed } from './grams.ts';

/** The least and the greatest number of slices: the greatest make a block of 8 MiB. */
const MIN_SLICES = 64;
export const MAX_SLICES = 4096;
const SLICE_STEP = 16;

/** Slices for each UTF-16 unit of a row's texts, which adds two grams: a fifth of bits are set. */
const SLICES_PER_UNIT = 9;

/** With more units for each slice and row, 45 % of bits are set, and most candidates are false. */
const FULL = 0.3;

/** Bits of the filter, as a power of two: texts of English set a sixth of them, however many. */
const FILTER_BITS = 17;
const FILTER_SHIFT = 32 - FILTER_BITS;

/** With fewer numbered rows, a block has no filter. */
const MIN_FILTERED = 512;

/** How many of the rarest grams are looked up: more exclude hardly any row. */
const MAX_GRAMS = 16;

/** How many words of a slice show how rare its gram is. */
const SAMPLE_WORDS = 32;

/** With fewer rows than this share of its positions, a block wastes memory. */
export const SPARSE = 3 / 4;

const HEADER_BYTES = 1000;
const BYTES_PER_WORD = 4;

/** Offsets of rows that were found by their positions in a block. */
const byOffset: Mask = new Int32Array(CHUNK_WORDS);

/** Returns how many slices suit rows with texts of so many UTF-16 units. */
export function slicesFor(units: number): number {
  const wanted = Math.ceil((units * SLICES_PER_UNIT) / SLICE_STEP) * SLICE_STEP;
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, wanted));
}

/** Returns the slice of a gram, by the first half of its hash. */
function sliceOf(hash: number, slices: number): number {
  return ((hash >>> 16) * slices) >>> 16;
}

/** Returns the distance of slices: multiples of a power of two would share few lines of a cache. */
function strideOf(words: number): number {
  return words < 128 ? words : words | 16;
}

/**
 * Which rows of a chunk may contain a text (decision 8). Each gram of a row's folded texts sets the
 * bit of the row in one of many bitmaps, the slices: a row can contain a text only if its bit is
 * set in the slices of all grams of that text. Before, a filter tells whether any row has them
 * (Bloom, CACM 1970, with one hash function).
 *
 * Bits are only added, so versions of a chunk can share a block: the texts that a row has had are
 * false candidates. A released block names every row.
 */
export class TextBlock {
  readonly slices: number;
  /** The number of words of a slice; 0 after it was released. */
  words = 0;
  /** The words from one slice to the next. */
  #stride = 0;
  #bits: Int32Array = new Int32Array();
  /** Empty if rows are few enough to be looked up without it. */
  #filter: Int32Array = new Int32Array();
  readonly #hasFilter: boolean;
  /** The offset of each position, in ascending order; without it, these are the same. */
  #offsets: Uint16Array | undefined;
  /** The number of positions that have had a row. */
  end = 0;
  #rows = 0;
  /** The UTF-16 units of the texts of these rows, and of texts that were added later. */
  #units = 0;
  #laterUnits = 0;

  /** @param offsets those of the first positions, if rows are numbered without gaps */
  constructor(slices: number, offsets?: Uint16Array) {
    this.slices = slices;
    this.#offsets = offsets;
    this.end = offsets?.length ?? 0;
    this.#hasFilter = !offsets || offsets.length >= MIN_FILTERED;
  }

  get bytes(): number {
    return this.bytesWith(this.words);
  }

  /** Returns the memory held with so many words. */
  bytesWith(words: number): number {
    if (words === 0) return 0;
    const bits = this.slices * strideOf(words) * BYTES_PER_WORD;
    const numbers = this.#offsets ? words * WORD_BITS * Uint16Array.BYTES_PER_ELEMENT : 0;
    return HEADER_BYTES + bits + (this.#hasFilter ? 2 ** FILTER_BITS / 8 : 0) + numbers;
  }

  /** Whether a new one, of so many rows, would name far fewer, or take less memory. */
  isWorn(live: number): boolean {
    const all = this.#units + this.#laterUnits;
    return (
      this.#laterUnits > this.#units ||
      live < SPARSE * this.end - WORD_BITS ||
      (all > FULL * this.slices * this.#rows && this.slices < MAX_SLICES)
    );
  }

  /** Returns the position of an offset, perhaps a new one; -1 if there is none for it. */
  positionOf(offset: number): number {
    const offsets = this.#offsets;
    if (!offsets) {
      if (offset >= this.end) this.end = offset + 1;
      return offset;
    }
    if (this.end === 0 || wordAt(offsets, this.end - 1) < offset) return this.#append(offset);
    let [low, high] = [0, this.end - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (wordAt(offsets, middle) < offset) low = middle + 1;
      else high = middle;
    }
    return offsets[low] === offset ? low : -1;
  }

  /** Makes room for more words. No text is hashed again. */
  grow(words: number): void {
    const stride = strideOf(words);
    const bits = new Int32Array(this.slices * stride);
    for (let i = 0; i < this.slices; i++) {
      const from = i * this.#stride;
      bits.set(this.#bits.subarray(from, from + this.words), i * stride);
    }
    if (this.words === 0 && this.#hasFilter)
      this.#filter = new Int32Array(2 ** FILTER_BITS / WORD_BITS);
    this.#bits = bits;
    this.#stride = stride;
    this.words = words;
  }

  /** Frees its memory. */
  release(): void {
    this.words = 0;
    this.#stride = 0;
    this.#bits = new Int32Array();
    this.#filter = new Int32Array();
  }

  /** Records that texts of so many units were added to a row, which is new or had others. */
  count(units: number, isNew: boolean): void {
    if (isNew) {
      this.#rows++;
      this.#units += units;
    } else this.#laterUnits += units;
  }

  /** Adds a folded text to the row at a position, up to which it must have grown. */
  mark(position: number, text: string): void {
    const filter = this.#filter;
    const bits = this.#bits;
    const stride = this.#stride;
    const { slices } = this;
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
      const hash = mixed(three);
      const index = sliceOf(hash, slices) * stride + word;
      bits[index] = wordAt(bits, index) | bit;
      if (filter.length > 0) setBit(filter, hash >>> FILTER_SHIFT);
    }
  }

  /** Whether no row has all grams. */
  lacks({ threes }: Grams): boolean {
    if (!this.#hasFilter) return false;
    for (let i = 0; i < threes.length; i++) {
      if (!hasBit(this.#filter, (threes[i] ?? 0) >>> FILTER_SHIFT)) return true;
    }
    return false;
  }

  /** Returns the rarest of some grams, the rarest first. */
  rarest({ all }: Grams): readonly number[] {
    const words = Math.min(this.words, SAMPLE_WORDS);
    const bits = this.#bits;
    const ranks = new Int32Array(all.length);
    for (let i = 0; i < all.length; i++) {
      const from = sliceOf(all[i] ?? 0, this.slices) * this.#stride;
      let count = 0;
      for (let at = from; at < from + words; at++) {
        const word = wordAt(bits, at);
        if (word !== 0) count += onesIn(word);
      }
      ranks[i] = count * all.length + i;
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
   * @param hashes of the grams, the rarest first
   * @param signed the offset from which on rows are not in the block
   * @param words how many words of the mask may have rows
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
      starts.push(sliceOf(hashes[i] ?? 0, this.slices) * this.#stride);
    const [first = 0, second = first, third = second] = starts;
    const known = Math.min(whole + 1, words);
    for (let w = 0; w < known; w++) {
      let left = wordAt(bits, first + w) & wordAt(bits, second + w);
      if (left !== 0) left &= wordAt(bits, third + w);
      for (let i = 3; left !== 0 && i < count; i++) left &= wordAt(bits, (starts[i] ?? 0) + w);
      if (w === whole) left |= -1 << signed;
      // The rows are read for candidates only: where there are many, they are in no cache.
      if (left !== 0) left &= wordAt(mask, w);
      mask[w] = left;
      any |= left;
    }
    for (let w = known; w < words; w++) any |= wordAt(mask, w);
    return any === 0;
  }

  #append(offset: number): number {
    let offsets = this.#offsets ?? new Uint16Array();
    if (this.end >= offsets.length) {
      const larger = new Uint16Array(Math.min(CHUNK_SLOTS, offsets.length * 1.5 + WORD_BITS));
      larger.set(offsets);
      offsets = larger;
      this.#offsets = larger;
    }
    offsets[this.end] = offset;
    return this.end++;
  }

  /** Writes the offsets of the rows that are in the slices of all grams to `byOffset`. */
  #findByOffset(hashes: readonly number[], offsets: Uint16Array): void {
    byOffset.fill(0);
    const bits = this.#bits;
    for (let w = 0; w * WORD_BITS < this.end; w++) {
      let left = -1;
      for (let i = 0; left !== 0 && i < hashes.length; i++) {
        left &= wordAt(bits, sliceOf(hashes[i] ?? 0, this.slices) * this.#stride + w);
      }
      for (; left !== 0; left &= left - 1) {
        const position = w * WORD_BITS + 31 - Math.clz32(left & -left);
        setBit(byOffset, wordAt(offsets, position));
      }
    }
  }
}

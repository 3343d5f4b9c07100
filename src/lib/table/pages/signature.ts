import {
  clearBit,
  countBits,
  hasBit,
  type Mask,
  setBit,
  setBits,
  WORD_BITS,
  wordAt,
} from '../bits.ts';
import { type Grams, longer, mixed } from './grams.ts';
import { MAX_SLICE_WORDS, MAX_SLICES, MIN_SLICE_WORDS, sliceOf, strideOf } from './slices.ts';

/** With more units for each slice and row, 45 % of bits are set, and most candidates are false. */
const FULL = 0.3;

/** The maximum of all slices, in words: 6 MiB, which take some milliseconds to copy. */
const MAX_WORDS = 3 * 2 ** 19;

/** Bits of the filter, as a power of two: texts of English set a sixth of them, however many. */
const FILTER_BITS = 17;
const FILTER_SHIFT = 32 - FILTER_BITS;

/** How many of the rarest grams are looked up: more exclude hardly any row. */
const MAX_GRAMS = 16;

/** How many words of a slice tell how rare its gram is. */
const SAMPLE_WORDS = 32;

/** What stays of a text that is removed from the slices: the filter keeps it. */
const STALE_IN_FILTER = 1 / 8;

const HEADER_BYTES = 1000;
const BYTES_PER_WORD = 4;

/** The words of a signature that belong to a page. Versions of the page share them. */
export interface Region {
  readonly signature: Signature;
  readonly firstWord: number;
  words: number;
  /** The number of rows that have been signed. */
  rows: number;
  /** The positions of the page below this one have been signed. */
  signed: number;
}

/**
 * Which rows of some pages may contain a text (decision 8). Each gram of a row's folded texts sets
 * the bit of the row in one of many bitmaps, the slices: a row can contain a text only if its bit
 * is set in the slices of all grams of that text. Before, a filter tells whether any row has them
 * (Bloom, CACM 1970, with one hash function).
 *
 * It never misses a row: those that have not been signed yet are candidates for every text.
 */
export class Signature {
  readonly slices: number;
  readonly maxWords: number;
  /** The words from one slice to the next. */
  #stride = 0;
  #bits: Int32Array = new Int32Array();
  #unsigned: Mask = new Int32Array();
  #filter = new Int32Array();
  /** The words that pages have, how many these are, and the end of those that any has had. */
  readonly #owned: Mask;
  #taken = 0;
  #used = 0;
  #rows = 0;
  /** The UTF-16 units of the texts of these rows, and of former texts whose bits are still set. */
  #units = 0;
  #staleUnits = 0;

  constructor(slices: number) {
    this.slices = slices;
    const pages = Math.floor(MAX_WORDS / slices / MIN_SLICE_WORDS);
    this.maxWords = Math.min(MAX_SLICE_WORDS, Math.max(1, pages) * MIN_SLICE_WORDS);
    this.#owned = new Int32Array(this.maxWords / WORD_BITS);
  }

  /** The number of words of a slice. */
  get words(): number {
    return this.#unsigned.length;
  }

  get bytes(): number {
    return this.bytesWith(this.words);
  }

  /** Returns the memory held with so many words. */
  bytesWith(words: number): number {
    if (words === 0) return 0;
    const bytes = (this.slices * strideOf(words) + words) * BYTES_PER_WORD;
    return HEADER_BYTES + bytes + 2 ** FILTER_BITS / 8;
  }

  /** Whether a new one would name far fewer rows, or take far less memory. */
  get isWorn(): boolean {
    const all = this.#units + this.#staleUnits;
    return (
      this.#staleUnits > this.#units ||
      2 * this.#taken < this.#used ||
      (all > FULL * this.slices * this.#rows && this.slices < MAX_SLICES)
    );
  }

  /** The mean length of the texts of the rows, in UTF-16 units. */
  get meanUnits(): number {
    return this.#rows === 0 ? 0 : this.#units / this.#rows;
  }

  get isFree(): boolean {
    return this.#taken === 0;
  }

  /** Returns the first of so many words that no page has; undefined if not so many are left. */
  placeFor(words: number): number | undefined {
    for (let from = 0, end = 1; end <= this.maxWords; end++) {
      if (hasBit(this.#owned, end - 1)) from = end;
      else if (end - from === words) return from;
    }
    return undefined;
  }

  /** Gives words, up to which it must have grown, to a page, unless another page has them. */
  takeWords(from: number, words: number): boolean {
    for (let at = from; at < from + words; at++) if (hasBit(this.#owned, at)) return false;
    setBits(this.#owned, from, from + words);
    this.#taken += words;
    // Another page may have used these words.
    for (let i = 0; from < this.#used && i < this.slices; i++) {
      this.#bits.fill(0, i * this.#stride + from, i * this.#stride + from + words);
    }
    this.#unsigned.fill(-1, from, from + words);
    this.#used = Math.max(this.#used, from + words);
    return true;
  }

  /** Takes the words of a page back. */
  release({ firstWord, words, rows }: Region): void {
    const share = this.#rows === 0 ? 0 : rows / this.#rows;
    const units = this.#units * share;
    this.#rows -= rows;
    this.#units -= units;
    this.#staleUnits += units * STALE_IN_FILTER - this.#staleUnits * share;
    this.#taken -= words;
    for (let at = firstWord; at < firstWord + words; at++) clearBit(this.#owned, at);
  }

  /** Makes room for more words. No text is hashed again. */
  grow(words: number): void {
    const stride = strideOf(words);
    const bits = new Int32Array(this.slices * stride);
    for (let i = 0; i < this.slices; i++) {
      const from = i * this.#stride;
      bits.set(this.#bits.subarray(from, from + this.words), i * stride);
    }
    const unsigned = new Int32Array(words).fill(-1);
    unsigned.set(this.#unsigned);
    this.#bits = bits;
    this.#stride = stride;
    this.#unsigned = unsigned;
    if (this.#filter.length === 0) this.#filter = new Int32Array(2 ** FILTER_BITS / WORD_BITS);
  }

  /** Notes that all texts at a position of a page, of so many units, have been added. */
  sign(region: Region, at: number, units: number): void {
    const position = positionIn(region, at);
    // If it was signed, there was another row, whose bits are still set.
    if (!hasBit(this.#unsigned, position)) this.#staleUnits += units;
    else {
      clearBit(this.#unsigned, position);
      region.rows++;
      this.#rows++;
      this.#units += units;
    }
  }

  /** Records that texts of so many units were added to rows that keep the bits of former texts. */
  noteStale(units: number): void {
    this.#staleUnits += units;
  }

  /** Makes the row at a position, which was signed as another one, a candidate for every text. */
  unsign(region: Region, at: number): void {
    const position = positionIn(region, at);
    if (hasBit(this.#unsigned, position)) return;
    const { meanUnits } = this;
    setBit(this.#unsigned, position);
    region.rows--;
    this.#rows--;
    this.#units -= meanUnits;
    this.#staleUnits += meanUnits;
  }

  /** Adds a folded text to the row at a position of a page. */
  mark(region: Region, at: number, text: string): void {
    const position = positionIn(region, at);
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
      setBit(filter, hash >>> FILTER_SHIFT);
    }
  }

  /** Returns the rarest of some grams, the rarest first. */
  rarest({ all }: Grams): readonly number[] {
    const words = Math.min(this.words, SAMPLE_WORDS);
    const ranks = new Int32Array(all.length);
    this.#slicesOf(all).forEach((from, i) => {
      ranks[i] = countBits(this.#bits, from, from + words) * all.length + i;
    });
    // Without a comparator, to sort 100 numbers takes a few microseconds.
    ranks.sort();
    const rarest: number[] = [];
    for (let i = 0; i < ranks.length && i < MAX_GRAMS; i++) {
      rarest.push(all[wordAt(ranks, i) % all.length] ?? 0);
    }
    return rarest;
  }

  /** Whether no signed row has all grams. */
  lacks({ threes }: Grams): boolean {
    return threes.some((hash) => !hasBit(this.#filter, hash >>> FILTER_SHIFT));
  }

  /**
   * Writes those of some rows that are in the slices of all grams, the rarest first, to the first
   * words of a mask, which are those of a page. Returns whether there are none.
   */
  narrow(hashes: readonly number[], from: number, words: number, rows: Mask, mask: Mask): boolean {
    const bits = this.#bits;
    const unsigned = this.#unsigned;
    const slices = this.#slicesOf(hashes);
    const [first = 0, second = first, third = first] = slices;
    let any = 0;
    for (let w = 0; w < words; w++) {
      const at = from + w;
      let left = wordAt(bits, first + at) & wordAt(bits, second + at);
      if (left !== 0) left &= wordAt(bits, third + at);
      for (let i = 3; left !== 0 && i < slices.length; i++) {
        left &= wordAt(bits, (slices[i] ?? 0) + at);
      }
      left |= wordAt(unsigned, at);
      // The rows are read for candidates only: where there are many, they are in no cache.
      if (left !== 0) left &= wordAt(rows, w);
      mask[w] = left;
      any |= left;
    }
    return any === 0;
  }

  /** Returns where the slices of grams begin. */
  #slicesOf(hashes: readonly number[]): readonly number[] {
    return hashes.map((hash) => sliceOf(hash, this.slices) * this.#stride);
  }
}

function positionIn({ firstWord }: Region, at: number): number {
  return firstWord * WORD_BITS + at;
}

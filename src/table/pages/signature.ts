import { countBits, type Mask } from '../bits.ts';
import { fold } from '../text/case-folding.ts';

/** The minimum and the maximum number of slices of a signature. */
const MIN_SLICES = 64;
const MAX_SLICES = 8192;

/** Slices for each UTF-16 unit of a row's texts, which adds two grams: a fifth of bits are set. */
const SLICES_PER_UNIT = 8;

/** With a larger share of set bits, too many candidates are false. */
const FULL = 0.4;

/** Words of the filter: 65,536 bits, a sixth of them set by 4,096 rows of English. */
const FILTER_WORDS = 2048;

const HEADER_BYTES = 400;
const BYTES_PER_WORD = 4;

/** The shortest text that has a gram, in UTF-16 units. */
const SHORTEST_GRAM = 3;

/** How many UTF-16 units of the texts of a condition are looked up: what has them is rare. */
const MAX_UNITS = 48;

/** How many words of a slice tell how rare its gram is. */
const SAMPLE_WORDS = 32;

/** The hashes of the grams of texts that are searched for. */
export interface Grams {
  /** Of all grams, to be reordered. */
  readonly all: Int32Array;
  /** Of those of three units. */
  readonly short: Int32Array;
  /** Where the slices of `all` begin in the signature that is being read. */
  readonly slices: Int32Array;
}

/** Returns the beginnings of texts, folded: as much as is looked up, without what has no gram. */
export function searchedParts(texts: Iterable<string>): readonly string[] {
  const parts: string[] = [];
  let left = MAX_UNITS;
  for (const text of texts) {
    const part = fold(text).slice(0, left);
    if (part.length >= SHORTEST_GRAM) parts.push(part);
    left -= Math.max(part.length, SHORTEST_GRAM);
    if (left < SHORTEST_GRAM) break;
  }
  return parts;
}

/** Returns the grams of folded texts. */
export function gramsOf(texts: readonly string[]): Grams {
  const all = new Set<number>();
  const short = new Set<number>();
  for (const text of texts) {
    for (let end = SHORTEST_GRAM; end <= text.length; end++) {
      const hash = hashOf(text, end - SHORTEST_GRAM, end);
      all.add(hash);
      short.add(hash);
      if (end > SHORTEST_GRAM) all.add(hashOf(text, end - SHORTEST_GRAM - 1, end));
    }
  }
  return {
    all: Int32Array.from(all),
    short: Int32Array.from(short),
    slices: new Int32Array(all.size),
  };
}

/** Returns how many slices suit rows with texts of so many UTF-16 units. */
export function slicesFor(units: number): number {
  const wanted = Math.ceil((units * SLICES_PER_UNIT) / MIN_SLICES) * MIN_SLICES;
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, wanted));
}

/** Returns the memory that a signature takes, in bytes. */
export function bytesOfSignature(slices: number, words: number): number {
  return HEADER_BYTES + (slices * words + FILTER_WORDS) * BYTES_PER_WORD;
}

/**
 * Which rows of a page may contain a text: a bit-sliced signature file (Faloutsos and
 * Christodoulakis, ACM TOIS 1984; BitFunnel: Goodwin and others, SIGIR 2017). The grams of three
 * and four UTF-16 units of a row's folded texts are hashed, and each sets the bit of the row's
 * position in one of many bitmaps, the slices. A row can contain a text only if its bit is set in
 * the slices of all grams of that text. Before, a filter tells whether any row of the page has
 * them (Bloom, CACM 1970, with one hash function).
 *
 * It never misses a row; it may name rows that do not contain the text.
 */
export class Signature {
  readonly slices: number;
  #words: number;
  /** The slices, one after the other. */
  #bits: Int32Array;
  readonly #filter = new Int32Array(FILTER_WORDS);
  /** The number of set bits of all slices. */
  #ones = 0;

  constructor(slices: number, words: number) {
    this.slices = slices;
    this.#words = words;
    this.#bits = new Int32Array(slices * words);
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return bytesOfSignature(this.slices, this.#words);
  }

  /** Whether it names too many rows, if so many have been added. */
  isFull(rows: number): boolean {
    return this.#ones > FULL * this.slices * rows;
  }

  /**
   * Adds a text to the row at a position, or removes it, and with it what it has in common with
   * other texts of the row. The filter keeps it.
   *
   * @param text folded unless it is ASCII
   */
  mark(at: number, text: string, isAdded: boolean): void {
    const { slices } = this;
    const words = this.#words;
    const bits = this.#bits;
    const filter = this.#filter;
    const word = at >>> 5;
    const bit = 1 << at;
    let changed = 0;
    let last = lowerAscii(text.charCodeAt(0));
    let pair = last;
    let three = 0;
    for (let i = 1; i < text.length; i++) {
      const unit = lowerAscii(text.charCodeAt(i));
      if (i > 2) {
        const index = sliceOf(mixed(longer(three, unit)), slices) * words + word;
        const old = bits[index] ?? 0;
        const next = isAdded ? old | bit : old & ~bit;
        bits[index] = next;
        changed += ((old ^ next) >>> at) & 1;
      }
      three = longer(pair, unit);
      pair = longer(last, unit);
      last = unit;
      if (i === 1) continue;
      const hash = mixed(three);
      const index = sliceOf(hash, slices) * words + word;
      const old = bits[index] ?? 0;
      const next = isAdded ? old | bit : old & ~bit;
      bits[index] = next;
      changed += ((old ^ next) >>> at) & 1;
      if (!isAdded) continue;
      const filterWord = filterWordOf(hash);
      filter[filterWord] = (filter[filterWord] ?? 0) | filterBitOf(hash);
    }
    this.#ones += isAdded ? changed : -changed;
  }

  /**
   * Removes the positions below `end` whose row cannot have the grams, which should come with the
   * rarest first ({@link sortByRarity}). Returns whether any may be left below `end`.
   */
  narrow(grams: Grams, mask: Mask, end: number): boolean {
    const full = end >>> 5;
    const rest = -1 << end;
    if (!this.#mayContain(grams)) {
      mask.fill(0, 0, full);
      if (rest !== -1) mask[full] = (mask[full] ?? 0) & rest;
      return false;
    }
    const bits = this.#bits;
    const slices = this.#slicesOf(grams);
    const last = slices.length - 1;
    const first = slices[0] ?? 0;
    const second = slices[Math.min(1, last)] ?? 0;
    const third = slices[Math.min(2, last)] ?? 0;
    for (let w = 0; w < full; w++) {
      let left = (mask[w] ?? 0) & (bits[first + w] ?? 0) & (bits[second + w] ?? 0);
      if (left !== 0) left &= bits[third + w] ?? 0;
      for (let i = 3; i <= last && left !== 0; i++) left &= bits[(slices[i] ?? 0) + w] ?? 0;
      mask[w] = left;
    }
    if (rest !== -1) {
      let left = -1;
      for (const from of slices) left &= bits[from + full] ?? 0;
      mask[full] = (mask[full] ?? 0) & (left | rest);
    }
    return true;
  }

  /** Sorts grams by the number of rows that may have them. */
  sortByRarity({ all }: Grams): void {
    const words = Math.min(this.#words, SAMPLE_WORDS);
    const ranks = all.map((hash, i) => {
      const from = sliceOf(hash, this.slices) * this.#words;
      return countBits(this.#bits, from, from + words) * all.length + i;
    });
    // Without a comparator, to sort 100 numbers takes a few microseconds.
    all.set(ranks.sort().map((rank) => all[rank % all.length] ?? 0));
  }

  /** Makes room for more positions. No text is hashed again. */
  grow(words: number): void {
    const bits = new Int32Array(this.slices * words);
    for (let i = 0; i < this.slices; i++) {
      bits.set(this.#bits.subarray(i * this.#words, (i + 1) * this.#words), i * words);
    }
    this.#bits = bits;
    this.#words = words;
  }

  #slicesOf({ all, slices }: Grams): Int32Array {
    for (let i = 0; i < all.length; i++) {
      slices[i] = sliceOf(all[i] ?? 0, this.slices) * this.#words;
    }
    return slices;
  }

  #mayContain({ short }: Grams): boolean {
    for (const hash of short) {
      if (((this.#filter[filterWordOf(hash)] ?? 0) & filterBitOf(hash)) === 0) return false;
    }
    return true;
  }
}

/** The slice of a gram, by the first half of its hash. */
function sliceOf(hash: number, slices: number): number {
  return ((hash >>> 16) * slices) >>> 16;
}

/** The word of the filter with the bit of a gram, by other bits of its hash. */
function filterWordOf(hash: number): number {
  return (hash >>> 9) & (FILTER_WORDS - 1);
}

function filterBitOf(hash: number): number {
  return 1 << (hash >>> 4);
}

function lowerAscii(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
}

/** Returns the hash of a text with one more unit (Rabin and Karp, 1987). */
function longer(hash: number, unit: number): number {
  return (Math.imul(hash, 0x9e3779b1) + unit) | 0;
}

/** Returns the hash of the units of a text from one up to another (exclusive). */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = longer(hash, lowerAscii(text.charCodeAt(i)));
  return mixed(hash);
}

/** Spreads the bits of a hash; those in the upper half depend on all. */
function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}

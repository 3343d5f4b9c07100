import type { StoredRow } from '../schema/column.ts';
import { fold } from '../text/case-folding.ts';
import { type Mask, WORDS, wordAt } from './mask.ts';

/** The UTF-16 units of a search text that are looked up. Few rows contain all of them. */
const MAX_LOOKED_UP = 48;
/** Slices per UTF-16 unit of a row. A unit adds two grams, so a fifth of the bits are set. */
const SLICES_PER_UNIT = 9;
const MAX_SLICES = 4096;
/** The least mean length of the texts of a row to plan for, because texts become longer. */
const MIN_UNITS = 8;
/** Above three times its planned units, half of the bits are set, with many false candidates. */
const MAX_GROWTH = 3;
/** Measured with V8: the object, and its array without the contents. */
const HEADER_BYTES = 250;

/** Returns the hash of a text with one more unit (Rabin and Karp, 1987). */
function extend(hash: number, unit: number): number {
  return (Math.imul(hash, 0x9e3779b1) + unit) | 0;
}

/** Mixes the bits of a hash. Returns 16 bits, which depend on all of them. */
function mix(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 16;
}

/** Returns the hashes of the grams of a folded text, which have three or four UTF-16 units. */
export function gramsOf(text: string): readonly number[] {
  const hashes: number[] = [];
  for (let end = 3; end <= Math.min(text.length, MAX_LOOKED_UP); end++) {
    if (end > 3) hashes.push(hashOf(text, end - 4, end));
    hashes.push(hashOf(text, end - 3, end));
  }
  return hashes;
}

/** Returns the hash of a part of a text. */
function hashOf(text: string, start: number, end: number): number {
  let hash = text.charCodeAt(start);
  for (let i = start + 1; i < end; i++) hash = extend(hash, text.charCodeAt(i));
  return mix(hash);
}

/**
 * Finds the rows of a chunk that may contain a text (decision 6): a bit-sliced signature file. Each
 * gram of a row's folded texts sets the bit of the row in one of many masks, the slices. A row can
 * contain a text only if its bit is set in the slices of all grams of that text.
 *
 * Bits are only added. So all versions of a chunk can share a signature: it has texts of their rows,
 * and of others, which make false candidates.
 */
export class Signature {
  readonly bytes: number;
  readonly #columns: readonly string[];
  readonly #slices: number;
  /** Empty until a text is added, so that a signature that no query uses takes no time. */
  #bits = new Int32Array(0);
  /** The mean number of UTF-16 units of a row that it was made for. */
  readonly #plannedUnits: number;
  /** The UTF-16 units of all texts that were announced. */
  #units = 0;
  /** The number of rows ever announced. Bits of deleted ones do no harm: no mask has them. */
  #rows = 0;

  /** @param columns the columns with texts */
  constructor(columns: readonly string[], rows: readonly StoredRow[]) {
    this.#columns = columns;
    let units = 0;
    for (const row of rows) {
      for (const column of columns) units += String(row[column] ?? '').length;
    }
    this.#plannedUnits = Math.max(MIN_UNITS, units / rows.length);
    this.#slices = Math.min(MAX_SLICES, Math.ceil(this.#plannedUnits * SLICES_PER_UNIT));
    this.bytes = HEADER_BYTES + this.#slices * WORDS * Int32Array.BYTES_PER_ELEMENT;
  }

  /**
   * Whether three times the text that it was planned for was announced. Bits are never removed, so
   * two thirds of them are of texts that were replaced, or the texts have become longer.
   */
  get isDegraded(): boolean {
    return this.#units > MAX_GROWTH * this.#plannedUnits * this.#rows;
  }

  /**
   * Takes the texts of a row into account, which {@link add} has to add before a query.
   * @param before the row before in the same slot
   * @returns whether there are texts that the row before did not have
   */
  announce(row: StoredRow, before?: StoredRow): boolean {
    if (!before) this.#rows++;
    let isNew = false;
    for (const column of this.#columns) {
      const text = row[column];
      if (typeof text !== 'string' || text === before?.[column]) continue;
      this.#units += text.length;
      isNew = true;
    }
    return isNew;
  }

  /** Adds the texts of a row. */
  add(slot: number, row: StoredRow): void {
    if (this.#bits.length === 0) this.#bits = new Int32Array(this.#slices * WORDS);
    for (const column of this.#columns) {
      const text = row[column];
      if (typeof text === 'string') this.#addGrams(fold(text), slot >>> 5, 1 << slot);
    }
  }

  /** Sets a bit in the slices of the {@link gramsOf} a text. Each hash extends the one before. */
  #addGrams(text: string, word: number, bit: number): void {
    let last = text.charCodeAt(1);
    let pair = extend(text.charCodeAt(0), last);
    let three = 0;
    for (let i = 2; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (i > 2) this.#set(mix(extend(three, unit)), word, bit);
      three = extend(pair, unit);
      pair = extend(last, unit);
      last = unit;
      this.#set(mix(three), word, bit);
    }
  }

  #set(hash: number, word: number, bit: number): void {
    const index = this.#sliceOf(hash) + word;
    this.#bits[index] = (this.#bits[index] ?? 0) | bit;
  }

  /** Removes the rows that lack a gram from a mask. */
  narrow(grams: readonly number[], rows: Mask): void {
    const bits = this.#bits;
    const last = grams.length - 1;
    // Grams that do not overlap exclude most rows.
    const a = this.#sliceOf(grams[0]);
    const b = this.#sliceOf(grams[last >> 1]);
    const c = this.#sliceOf(grams[last]);
    for (let w = 0; w < WORDS; w++) {
      let left = wordAt(rows, w) & (bits[a + w] ?? 0) & (bits[b + w] ?? 0) & (bits[c + w] ?? 0);
      for (let i = 1; left !== 0 && i < last; i++) left &= bits[this.#sliceOf(grams[i]) + w] ?? 0;
      rows[w] = left;
    }
  }

  /** Returns the index of the first word of the slice of a gram. */
  #sliceOf(hash = 0): number {
    return ((hash * this.#slices) >>> 16) * WORDS;
  }
}

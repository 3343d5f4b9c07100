import { type Mask, WORD_BITS } from '../bits.ts';
import type { Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/**
 * The maximum number of distinct values of a column in a page. A column with more gains nothing
 * from bitmaps, and would take a bit for each value and row.
 */
const MAX_VALUES = 64;

const HEADER_BYTES = 200;
const BYTES_PER_VALUE = 8;

/**
 * One bitmap for each value of a column in a page: the positions of the rows that have it. The
 * bits of a row stay when it is deleted.
 */
export class ValueBitmaps {
  readonly column: string;
  /** In order, null first. */
  readonly values: (Value | null)[] = [];
  readonly #indexed: IndexedColumn;
  readonly #words: number;
  /** The bitmaps, one after the other. */
  #bits: Mask = new Int32Array();
  #isDropped = false;

  constructor(indexed: IndexedColumn, words: number) {
    this.column = indexed.column;
    this.#indexed = indexed;
    this.#words = words;
  }

  /** Whether the bitmaps tell the rows of each value. If not, there were too many values. */
  get isExact(): boolean {
    return !this.#isDropped;
  }

  /** How many of the values are null. */
  get nulls(): number {
    return this.values[0] === null ? 1 : 0;
  }

  /** The least value, null if there is none. */
  get least(): Value | null {
    return this.values[this.nulls] ?? null;
  }

  /** The greatest value, null if there is none. */
  get greatest(): Value | null {
    return this.values[this.values.length - 1] ?? null;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return HEADER_BYTES + this.values.length * BYTES_PER_VALUE + this.#bits.byteLength;
  }

  /**
   * Sets the value at a position.
   *
   * @returns by how many bytes the bitmaps grow
   */
  set(at: number, value: Value | null): number {
    if (this.#isDropped) return 0;
    const growth = this.values.includes(value) ? 0 : this.#add(value);
    const bit = 1 << at;
    let word = at >>> 5;
    for (const other of this.values) {
      const bits = this.#bits[word] ?? 0;
      this.#bits[word] = other === value ? bits | bit : bits & ~bit;
      word += this.#words;
    }
    return growth;
  }

  /**
   * Removes the positions whose value does not fit from a mask.
   *
   * @returns whether that is possible
   */
  narrow(mask: Mask, fits: (value: Value | null) => boolean): boolean {
    if (this.#isDropped) return false;
    const words = this.#words;
    const bits = this.#bits;
    const starts: number[] = [];
    for (let i = 0; i < this.values.length; i++) {
      if (fits(this.values[i] ?? null)) starts.push(i * words);
    }
    if (starts.length === this.values.length) return true;
    for (let w = 0; w < words; w++) {
      let fitting = 0;
      for (let i = 0; i < starts.length; i++) fitting |= bits[(starts[i] ?? 0) + w] ?? 0;
      mask[w] = (mask[w] ?? 0) & fitting;
    }
    return true;
  }

  /** Returns the first position of a mask, from one on, with the value of an index; or else -1. */
  next(index: number, mask: Mask, from: number): number {
    const start = index * this.#words;
    let kept = -1 << from;
    for (let w = from >>> 5; w < this.#words; w++) {
      const left = (mask[w] ?? 0) & (this.#bits[start + w] ?? 0) & kept;
      if (left !== 0) return w * WORD_BITS + 31 - Math.clz32(left & -left);
      kept = -1;
    }
    return -1;
  }

  /** Copies the bitmaps, with room for more positions. */
  copy(words: number): ValueBitmaps {
    const copy = new ValueBitmaps(this.#indexed, words);
    const bits = new Int32Array(this.values.length * words);
    for (let i = 0; i < this.values.length; i++) {
      copy.values.push(this.values[i] ?? null);
      bits.set(this.#bits.subarray(i * this.#words, (i + 1) * this.#words), i * words);
    }
    copy.#bits = bits;
    copy.#isDropped = this.#isDropped;
    return copy;
  }

  /** Returns by how many bytes the bitmaps grow. */
  #add(value: Value | null): number {
    const { bytes, values } = this;
    this.#isDropped = values.length === MAX_VALUES;
    const before = this.#bits;
    if (this.#isDropped) {
      values.length = 0;
      this.#bits = new Int32Array();
    } else {
      const { compare } = this.#indexed;
      const isAbove = (other: Value | null) =>
        value === null || (other !== null && compare(other, value) > 0);
      const found = values.findIndex(isAbove);
      const index = found < 0 ? values.length : found;
      values.splice(index, 0, value);
      this.#bits = new Int32Array(values.length * this.#words);
      const split = index * this.#words;
      this.#bits.set(before.subarray(0, split));
      this.#bits.set(before.subarray(split), split + this.#words);
    }
    return this.bytes - bytes;
  }
}

import { clearBit, intersect, type Mask, setBit, WORD_BITS } from '../bits.ts';
import type { Value } from '../schema/column.ts';
import { compareNulls } from '../schema/kinds.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/** The maximum number of values in a page: a column with more gains nothing from bitmaps. */
const MAX_VALUES = 64;

const HEADER_BYTES = 200;
/** A value, a reference to its bitmap, and what a typed array takes besides its words. */
const BYTES_PER_VALUE = 8 + 8 + 160;

/** The positions of a page that have each value of a column; those of deleted rows stay. */
export class ValueBitmaps {
  readonly column: string;
  /** In order, null first. */
  readonly values: (Value | null)[] = [];
  /** For each value, the positions that have it. */
  readonly #bitmaps: Mask[] = [];
  readonly #indexed: IndexedColumn;
  readonly #words: number;
  /** Whether the bitmaps tell the rows of each value. If not, there were too many values. */
  isExact = true;

  constructor(indexed: IndexedColumn, words: number) {
    this.column = indexed.column;
    this.#indexed = indexed;
    this.#words = words;
  }

  /** How many of the values are null. */
  get nulls(): number {
    return this.values[0] === null ? 1 : 0;
  }

  get least(): Value | null {
    return this.values[this.nulls] ?? null;
  }

  get greatest(): Value | null {
    return this.values.at(-1) ?? null;
  }

  get bytes(): number {
    return HEADER_BYTES + this.values.length * this.bytesPerValue;
  }

  get bytesPerValue(): number {
    return BYTES_PER_VALUE + this.#words * 4;
  }

  /** Sets the value at a position. Returns by how many bytes the bitmaps grow. */
  set(at: number, value: Value | null): number {
    if (!this.isExact) return 0;
    const { bytes, values } = this;
    const isNew = !values.includes(value);
    if (isNew && values.length === MAX_VALUES) {
      this.isExact = false;
      values.length = 0;
      this.#bitmaps.length = 0;
    } else if (isNew) this.#add(value, new Int32Array(this.#words));
    this.#bitmaps.forEach((bitmap, i) => {
      if (values[i] === value) setBit(bitmap, at);
      else clearBit(bitmap, at);
    });
    return isNew ? this.bytes - bytes : 0;
  }

  /** Writes those of some positions whose value fits to a mask, and returns true, if exact. */
  narrow(positions: Mask, mask: Mask, fits: (value: Value | null) => boolean): boolean {
    if (!this.isExact) return false;
    const fitting = this.#bitmaps.filter((_, i) => fits(this.values[i] ?? null));
    const [only] = fitting;
    if (only && fitting.length === 1) intersect(mask, positions, only, this.#words);
    else if (fitting.length === this.values.length) mask.set(positions);
    else {
      for (let w = 0; w < this.#words; w++) {
        let any = 0;
        for (const bitmap of fitting) any |= bitmap[w] ?? 0;
        mask[w] = (positions[w] ?? 0) & any;
      }
    }
    return true;
  }

  /** Returns the first position of a mask, from one on, with the value of an index; or else -1. */
  next(index: number, mask: Mask, from: number): number {
    const bitmap = this.#bitmaps[index];
    let kept = -1 << from;
    for (let w = from >>> 5; bitmap && w < this.#words; w++) {
      const left = (mask[w] ?? 0) & (bitmap[w] ?? 0) & kept;
      if (left !== 0) return w * WORD_BITS + 31 - Math.clz32(left & -left);
      kept = -1;
    }
    return -1;
  }

  copy(words: number): ValueBitmaps {
    const copy = new ValueBitmaps(this.#indexed, words);
    copy.isExact = this.isExact;
    copy.values.push(...this.values);
    for (const bitmap of this.#bitmaps) {
      const larger = new Int32Array(words);
      larger.set(bitmap);
      copy.#bitmaps.push(larger);
    }
    return copy;
  }

  #add(value: Value | null, bitmap: Mask): void {
    const { compare } = this.#indexed;
    const index = this.values.filter((other) => compareNulls(compare, other, value) < 0).length;
    this.values.splice(index, 0, value);
    this.#bitmaps.splice(index, 0, bitmap);
  }
}

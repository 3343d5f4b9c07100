import { firstNotBefore } from '../binary-search.ts';
import { hasBit, type Mask, setBit } from '../bits.ts';
import type { Interval } from '../condition/intervals.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { compareNulls } from '../schema/kinds.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

const HEADER_BYTES = 250;

/** The positions of the rows of a page ordered by a column: by value, nulls first, then by id. */
export class OrderedPositions {
  readonly column: string;
  readonly #indexed: IndexedColumn;
  readonly #rows: readonly (StoredRow | undefined)[];
  readonly #positions: Uint16Array;
  length = 0;

  constructor(indexed: IndexedColumn, rows: readonly (StoredRow | undefined)[]) {
    this.column = indexed.column;
    this.#indexed = indexed;
    this.#rows = rows;
    this.#positions = new Uint16Array(rows.length);
  }

  /** The number of positions without a value, which come first. */
  get nulls(): number {
    return this.valueAt(0) === null ? this.indexFrom(null, false) : 0;
  }

  get least(): Value | null {
    return this.valueAt(this.nulls);
  }

  get greatest(): Value | null {
    return this.valueAt(this.length - 1);
  }

  get bytes(): number {
    return HEADER_BYTES + this.#positions.byteLength;
  }

  /** Returns the position with an index in the order. */
  at(index: number): number {
    return this.#positions[index] ?? 0;
  }

  valueAt(index: number): Value | null {
    if (index < 0 || index >= this.length) return null;
    return this.#rows[this.at(index)]?.[this.column] ?? null;
  }

  /** Adds a position that has a row. Idempotent. */
  add(at: number): void {
    const index = this.#indexOf(at);
    if (index < this.length) {
      if (this.at(index) === at) return;
      this.#positions.copyWithin(index + 1, index, this.length);
    }
    this.#positions[index] = at;
    this.length++;
  }

  /** Removes a position while it still has its row. Idempotent. */
  remove(at: number): void {
    const index = this.#indexOf(at);
    if (index === this.length || this.at(index) !== at) return;
    this.#positions.copyWithin(index, index + 1, this.length);
    this.length--;
  }

  /** Removes all positions that are not in a mask. */
  keep(mask: Mask): void {
    let length = 0;
    for (let i = 0; i < this.length; i++) {
      const at = this.at(i);
      if (hasBit(mask, at)) this.#positions[length++] = at;
    }
    this.length = length;
  }

  /** Adds the positions whose value is in an interval to a mask. */
  addTo(mask: Mask, { from, to }: Interval): void {
    const end = to ? this.indexFrom(to.value, !to.included) : this.length;
    for (let i = this.indexFrom(from.value, from.included); i < end; i++) setBit(mask, this.at(i));
  }

  /** Returns the index of the first position with a value above one, or equal if `included`. */
  indexFrom(value: Value | null, included: boolean): number {
    return this.#indexOf(included ? -1 : this.#positions.length, value);
  }

  /** @param to where each row is in the copy of the rows; by default, at the same position */
  copy(rows: readonly (StoredRow | undefined)[], to?: Uint16Array): OrderedPositions {
    const copy = new OrderedPositions(this.#indexed, rows);
    if (!to) copy.#positions.set(this.#positions.subarray(0, this.length));
    for (let i = 0; to && i < this.length; i++) copy.#positions[i] = to[this.at(i)] ?? 0;
    copy.length = this.length;
    return copy;
  }

  /** Returns the index that a position with a value has, or would have. */
  #indexOf(at: number, value = this.#rows[at]?.[this.column] ?? null): number {
    const last = this.length - 1;
    // Ids and times ascend together, so this is often so.
    if (last < 0 || this.#isBefore(last, value, at)) return last + 1;
    return firstNotBefore(last, (index) => this.#isBefore(index, value, at));
  }

  #isBefore(index: number, value: Value | null, at: number): boolean {
    const order = compareNulls(this.#indexed.compare, this.valueAt(index), value);
    return order < 0 || (order === 0 && this.at(index) < at);
  }
}

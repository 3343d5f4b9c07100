import type { StoredRow, Value } from '../schema/column.ts';
import { compareNulls } from '../schema/kinds.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/**
 * A summary of the values of a column in the rows of a leaf, kept at each write. Null is the
 * smallest value. A zone may be too wide, because rows may have left it. Then more rows are tested;
 * results do not change.
 */
export class Zone {
  readonly column: IndexedColumn;
  least: Value | null = null;
  greatest: Value | null = null;
  /** The number of rows with a smaller value than the row before them. */
  #descents = 0;

  constructor(column: IndexedColumn) {
    this.column = column;
  }

  /** Whether the values never descend with the ids. Then the zone is exact. */
  get isAscending(): boolean {
    return this.#descents === 0;
  }

  /** Summarizes rows from the beginning, because a write that was undone may have failed halfway. */
  recompute(rows: readonly StoredRow[]): void {
    this.#descents = 0;
    this.least = this.greatest = this.#valueOf(rows[0]);
    const known: StoredRow[] = [];
    for (const row of rows) this.put(known, known.push(row) - 1, undefined);
  }

  copy(): Zone {
    const copy = new Zone(this.column);
    copy.least = this.least;
    copy.greatest = this.greatest;
    copy.#descents = this.#descents;
    return copy;
  }

  /** Includes the row at an index, which has replaced the row `before`, if there was one. */
  put(rows: readonly StoredRow[], index: number, before: StoredRow | undefined): void {
    const { column } = this.column;
    const row = rows[index];
    const value = row?.[column] ?? null;
    if (before) {
      if (before[column] === value) return;
    } else if (index === rows.length - 1 && this.isAscending) {
      this.#append(value, index === 0);
      return;
    }
    const previous = rows[index - 1];
    const next = rows[index + 1];
    this.#descents += this.#descentsOf(previous, row, next);
    this.#descents -= before
      ? this.#descentsOf(previous, before, next)
      : this.#isDescent(previous, next);
    if (this.isAscending) this.#setToEnds(rows);
    else {
      if (this.#compare(value, this.least) < 0) this.least = value;
      if (this.#compare(value, this.greatest) > 0) this.greatest = value;
    }
  }

  /** Excludes a row that was at an index of the rows. */
  remove(rows: readonly StoredRow[], index: number, row: StoredRow): void {
    const previous = rows[index - 1];
    const next = rows[index];
    this.#descents -= this.#descentsOf(previous, row, next);
    this.#descents += this.#isDescent(previous, next);
    if (this.isAscending) this.#setToEnds(rows);
  }

  /** Includes the value of a row behind all others, whose values ascend. */
  #append(value: Value | null, isFirst: boolean): void {
    if (isFirst) this.least = this.greatest = value;
    const step = isFirst ? 0 : this.#compare(value, this.greatest);
    if (step > 0) this.greatest = value;
    if (step < 0) {
      this.#descents = 1;
      if (this.#compare(value, this.least) < 0) this.least = value;
    }
  }

  #setToEnds(rows: readonly StoredRow[]): void {
    this.least = this.#valueOf(rows[0]);
    this.greatest = this.#valueOf(rows.at(-1));
  }

  #descentsOf(
    previous: StoredRow | undefined,
    row: StoredRow | undefined,
    next: StoredRow | undefined,
  ): number {
    return this.#isDescent(previous, row) + this.#isDescent(row, next);
  }

  #isDescent(a: StoredRow | undefined, b: StoredRow | undefined): 0 | 1 {
    return a && b && this.#compare(this.#valueOf(a), this.#valueOf(b)) > 0 ? 1 : 0;
  }

  #compare(a: Value | null, b: Value | null): number {
    return compareNulls(this.column.compare, a, b);
  }

  #valueOf(row: StoredRow | undefined): Value | null {
    return row?.[this.column.column] ?? null;
  }
}

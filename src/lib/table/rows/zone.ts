import type { StoredRow, Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/**
 * A summary of the values of a column in the rows of a leaf, kept at each write. Null is the
 * smallest value. A zone does not shrink when a row leaves it. Then more rows than necessary are
 * tested or sorted, but results do not change.
 */
export class Zone {
  readonly column: IndexedColumn;
  least: Value | null = null;
  greatest: Value | null = null;
  /** Whether the values never descend with the ids. */
  isAscending = true;

  constructor(column: IndexedColumn) {
    this.column = column;
  }

  /** Summarizes rows from the beginning, because a write that was undone may have failed halfway. */
  recompute(rows: readonly StoredRow[]): void {
    this.isAscending = true;
    const known: StoredRow[] = [];
    for (const row of rows) {
      known.push(row);
      this.put(known, known.length - 1, undefined);
    }
  }

  copy(): Zone {
    return Object.assign(new Zone(this.column), this);
  }

  /** Includes the row at an index, which has replaced the row `before`, if there was one. */
  put(rows: readonly StoredRow[], index: number, before: StoredRow | undefined): void {
    const { compare } = this.column;
    const value = this.#valueOf(rows[index]);
    if (before && this.#valueOf(before) === value) return;
    const isAscending =
      this.isAscending &&
      (index === 0 || compare(value, this.#valueOf(rows[index - 1])) >= 0) &&
      (index === rows.length - 1 || compare(value, this.#valueOf(rows[index + 1])) <= 0);
    if (isAscending) {
      this.least = this.#valueOf(rows[0]);
      this.greatest = this.#valueOf(rows.at(-1));
    } else {
      this.isAscending = false;
      if (compare(value, this.least) < 0) this.least = value;
      if (compare(value, this.greatest) > 0) this.greatest = value;
    }
  }

  #valueOf(row: StoredRow | undefined): Value | null {
    return row?.[this.column.column] ?? null;
  }
}

import type { Row, Schema, StoredRow } from './column.ts';

/*
 * The engine handles rows of any schema and checks every value at run time; callers see the types
 * of their own schema. The two meet only in these casts, which the compiler cannot check. They are
 * sound: `checkValue` has checked every column of a stored row.
 */

/** Types a stored row by its schema. */
export function asRow<S extends Schema>(row: StoredRow): Row<S> {
  return row as Row<S>;
}

/** Types a row of a caller as a stored row. */
export function asStoredRow<S extends Schema>(row: Row<S>): StoredRow {
  return row as StoredRow;
}

/** Types stored rows by their schema. */
export function asRows<S extends Schema>(rows: StoredRow[]): Row<S>[];
export function asRows<S extends Schema>(rows: readonly StoredRow[]): readonly Row<S>[];
export function asRows<S extends Schema>(rows: readonly StoredRow[]): readonly Row<S>[] {
  return rows as readonly Row<S>[];
}

/** Types an object of a caller as a record of unchecked values. */
export function asRecord(values: object): Readonly<Record<string, unknown>> {
  return values as Readonly<Record<string, unknown>>;
}

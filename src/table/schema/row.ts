import { ColumnError } from '../errors.ts';
import type { Column, Row, Schema, StoredRow, Value } from './column.ts';
import { checkValue } from './kinds.ts';
import type { Layout } from './layout.ts';

/**
 * Makes the row that an insert stores. A missing value becomes the default, or null if there is no
 * default.
 *
 * @throws ColumnError when a value does not fit its column
 */
export function newRow(layout: Layout, id: Value, values: object): StoredRow {
  for (const name of Object.keys(values)) settableColumn(layout, name);
  const given = asRecord(values);
  const row = { ...layout.template };
  for (const [name, column] of layout.columns) {
    const value = given[name];
    row[name] = column.identity
      ? id
      : checkValue(name, column, value === undefined ? (column.default ?? null) : value);
  }
  return row;
}

/**
 * Makes the row that an update stores. Undefined values do not change their columns.
 *
 * @throws ColumnError when a value does not fit its column
 */
export function changedRow(layout: Layout, before: StoredRow, changes: object): StoredRow {
  const given = asRecord(changes);
  const row = { ...before };
  for (const name of Object.keys(changes)) {
    const column = settableColumn(layout, name);
    const value = given[name];
    if (value !== undefined) row[name] = checkValue(name, column, value);
  }
  return row;
}

function settableColumn(layout: Layout, name: string): Column {
  const column = layout.columns.get(name);
  if (!column) throw new ColumnError(name, 'does not exist');
  if (column.identity) throw new ColumnError(name, 'is generated and cannot be set');
  return column;
}

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
function asRecord(values: object): Readonly<Record<string, unknown>> {
  return values as Readonly<Record<string, unknown>>;
}

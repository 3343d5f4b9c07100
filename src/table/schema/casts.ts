import { ColumnOperators, type Operators } from '../condition/operators.ts';
import type { Row, Schema } from './column.ts';
import type { Layout } from './layout.ts';
import type { StoredRow } from './stored-row.ts';

/*
 * The engine works on rows and columns of any schema and checks every value at run time; callers
 * see the types of their own schema. The two meet here, and only here, in casts that the compiler
 * cannot check: `checkValue` has seen every column of a stored row, and the operators of a kind
 * are a subset of all operators.
 */

/** A stored row, as its schema types it. */
export function asRow<S extends Schema>(row: StoredRow): Row<S> {
  return row as Row<S>;
}

/** The stored row that a caller was given. */
export function asStoredRow<S extends Schema>(row: Row<S>): StoredRow {
  return row as StoredRow;
}

/** Stored rows, as their schema types them. */
export function asRows<S extends Schema>(rows: StoredRow[]): Row<S>[];
export function asRows<S extends Schema>(rows: readonly StoredRow[]): readonly Row<S>[];
export function asRows<S extends Schema>(rows: readonly StoredRow[]): readonly Row<S>[] {
  return rows as readonly Row<S>[];
}

/** The values from a caller, before anything about them is known. */
export function asRecord(values: object): Readonly<Record<string, unknown>> {
  return values as Readonly<Record<string, unknown>>;
}

/** The columns that a `where` callback is given. */
export function operatorsFor<S extends Schema>(layout: Layout): Operators<S> {
  const names = [...layout.columns.keys()];
  const operators = names.map((name) => [name, new ColumnOperators(name)]);
  return Object.fromEntries(operators) as Operators<S>;
}

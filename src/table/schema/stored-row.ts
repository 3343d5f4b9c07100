import type { Value } from './column.ts';

/** A row as the engine stores it, of any schema. */
export type StoredRow = Readonly<Record<string, Value | null>>;

/**
 * Makes a row of nulls, to be cloned for each new row. It comes from the JSON parser because V8
 * keeps all members of such an object, and of its clones, in the object itself. An object that is
 * built member by member keeps some of them in a second object, which makes a row larger by a
 * third.
 */
export function compactRow(columns: readonly string[]): StoredRow {
  return JSON.parse(JSON.stringify(Object.fromEntries(columns.map((name) => [name, null]))));
}

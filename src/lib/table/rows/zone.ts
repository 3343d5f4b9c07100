import type { StoredRow, Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/** A summary of the values of a column in some rows. */
export interface Zone {
  /** Null if all values are null. */
  readonly least: Value | null;
  readonly greatest: Value | null;
  readonly hasNulls: boolean;
  /** Whether the values, without nulls, never descend with the ids; `isStrict`: always ascend. */
  readonly isAscending: boolean;
  readonly isStrict: boolean;
}

/** Returns the zone of rows in the order of their ids. */
export function zoneOf({ column, compare }: IndexedColumn, rows: readonly StoredRow[]): Zone {
  let [least, greatest]: [Value | null, Value | null] = [null, null];
  let [hasNulls, isAscending, isStrict] = [false, true, true];
  for (const row of rows) {
    const value = row[column] ?? null;
    if (value === null) {
      hasNulls = true;
      continue;
    }
    const step = greatest === null ? 1 : compare(value, greatest);
    if (step > 0) greatest = value;
    if (step <= 0) isStrict = false;
    if (step < 0) isAscending = false;
    if (least === null || (step < 0 && compare(value, least) < 0)) least = value;
  }
  return { least, greatest, hasNulls, isAscending, isStrict };
}

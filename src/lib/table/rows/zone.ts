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

const EMPTY: Zone = {
  least: null,
  greatest: null,
  hasNulls: false,
  isAscending: true,
  isStrict: true,
};

/** Returns the zone of rows in the order of their ids. */
export function zoneOf({ column, compare }: IndexedColumn, rows: readonly StoredRow[]): Zone {
  let { least, greatest, hasNulls, isAscending, isStrict } = EMPTY;
  let last: Value | null = null;
  for (const row of rows) {
    const value = row[column] ?? null;
    if (value === null) {
      hasNulls = true;
      continue;
    }
    if (last !== null) {
      const step = compare(value, last);
      if (step < 0) isAscending = false;
      if (step <= 0) isStrict = false;
    }
    last = value;
    if (least === null || compare(value, least) < 0) least = value;
    if (greatest === null || compare(value, greatest) > 0) greatest = value;
  }
  return { least, greatest, hasNulls, isAscending, isStrict };
}

/** Returns a zone extended by the value of a row with a higher id. */
export function withValue(
  zone: Zone,
  { compare }: IndexedColumn,
  value: Value | null,
): Zone | undefined {
  if (value === null) return zone.hasNulls ? zone : { ...zone, hasNulls: true };
  if (zone.greatest === null) return undefined;
  const step = compare(value, zone.greatest);
  if (step > 0) return { ...zone, greatest: value };
  if (step === 0) return zone.isStrict ? { ...zone, isStrict: false } : zone;
  return undefined;
}

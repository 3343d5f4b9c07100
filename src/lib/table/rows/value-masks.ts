import type { StoredRow, Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/** The maximum number of values of a column with bitmaps. With more, they gain nothing. */
const MAX_VALUES = 64;

/** The first mask of a value, after the mask of all rows. */
export const FIRST_MASK = 1;

/** The distinct values of a column, and the number of the mask of each. */
export interface ColumnMasks {
  readonly column: string;
  readonly values: (Value | null)[];
  readonly masks: number[];
  /** False if there have been too many values. Then the masks are not kept any more. */
  isExact: boolean;
}

/** Numbers the values of the bitmap columns of a table. Each leaf has a mask for each number. */
export class ValueMasks {
  readonly columns: readonly ColumnMasks[];
  /** The number of masks of a leaf. */
  count = FIRST_MASK;

  constructor(indexed: readonly IndexedColumn[]) {
    this.columns = indexed.map(({ column }) => ({ column, values: [], masks: [], isExact: true }));
  }

  of(column: string): ColumnMasks | undefined {
    return this.columns.find((each) => each.column === column);
  }

  /** Numbers the values of a row that have no number yet. */
  number(row: StoredRow): void {
    for (const each of this.columns) {
      const value = row[each.column] ?? null;
      if (!each.isExact || each.values.includes(value)) continue;
      if (each.values.length === MAX_VALUES) each.isExact = false;
      else {
        each.values.push(value);
        each.masks.push(this.count++);
      }
    }
  }
}

/** Returns the number of the mask of a value; -1 if it has none. */
export function maskOf({ values, masks }: ColumnMasks, value: Value | null): number {
  return masks[values.indexOf(value)] ?? -1;
}

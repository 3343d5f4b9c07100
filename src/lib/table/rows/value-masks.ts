import type { Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';

/** The maximum number of values of a column with bitmaps. With more, bitmaps gain nothing. */
const MAX_VALUES = 64;

/** The number of the mask of all rows. */
export const ALL_ROWS = 0;

/** The distinct values of a column, and the number of the mask of each. */
export interface ColumnMasks {
  readonly column: string;
  readonly values: (Value | null)[];
  readonly masks: number[];
  /** False if there have been too many values. Then the masks are not kept any more. */
  isExact: boolean;
}

/** The values of the bitmap columns of a table. Each leaf has a mask for each of them. */
export class ValueMasks {
  readonly columns: readonly ColumnMasks[];
  /** The number of masks of a leaf, with the mask of all rows. */
  count = ALL_ROWS + 1;

  constructor(indexed: readonly IndexedColumn[]) {
    this.columns = indexed.map(({ column }) => ({ column, values: [], masks: [], isExact: true }));
  }

  of(column: string): ColumnMasks | undefined {
    return this.columns.find((each) => each.column === column);
  }

  /** Returns the number of the mask of a value, a new one if there is none; 0 without a mask. */
  numberOf(column: ColumnMasks, value: Value | null): number {
    const { values, masks } = column;
    const known = masks[values.indexOf(value)];
    if (known !== undefined) return known;
    if (values.length === MAX_VALUES) column.isExact = false;
    if (!column.isExact) return ALL_ROWS;
    values.push(value);
    return masks[masks.push(this.count++) - 1] ?? ALL_ROWS;
  }
}

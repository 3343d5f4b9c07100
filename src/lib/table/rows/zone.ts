import type { Value } from '../schema/column.ts';
import type { Compare } from '../schema/kinds.ts';

/**
 * A summary of the values of a column in the rows of a leaf. Rows that the leaf has lost, and rows
 * that only a newer version of it has, may be included. So a query may find an interval or an order
 * less often than it could, but never wrongly.
 */
export class Zone {
  /** Null if all values are null. */
  least: Value | null = null;
  greatest: Value | null = null;
  hasNulls = false;
  /** Whether the values, without nulls, never descend with the ids; `isStrict`: always ascend. */
  isAscending = true;
  isStrict = true;

  /** Includes the value of a row with a higher id than all before. */
  add(value: Value | null, compare: Compare<Value>): void {
    if (value === null) {
      this.hasNulls = true;
      return;
    }
    const step = this.greatest === null ? 1 : compare(value, this.greatest);
    if (step > 0) this.greatest = value;
    if (step <= 0) this.isStrict = false;
    if (step < 0) this.isAscending = false;
    if (this.least === null || (step < 0 && compare(value, this.least) < 0)) this.least = value;
  }
}

import type { Value } from '../schema/column.ts';

/** An end of an interval. Null is below all values. */
export interface Bound {
  readonly value: Value | null;
  readonly included: boolean;
}

/** An interval of values. Without `to`, it has no upper bound. */
export interface Interval {
  readonly from: Bound;
  readonly to?: Bound;
}

/** Makes an interval that ends or begins at a value. It excludes null. */
type OfValue = (value: Value) => Interval;

export const above = (value: Value | null): Interval => ({ from: { value, included: false } });
export const atLeast: OfValue = (value) => ({ from: { value, included: true } });
export const below: OfValue = (value) => ({ ...above(null), to: { value, included: false } });
export const upTo: OfValue = (value) => ({ ...above(null), to: { value, included: true } });

/** Returns the interval of one value. */
export function exactly(value: Value | null): Interval {
  return { from: { value, included: true }, to: { value, included: true } };
}

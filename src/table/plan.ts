/** Where the rows that may match are: in listed slots, ascending, or between two slots. */
export type Access =
  | { readonly slots: readonly number[] }
  | { readonly slots?: undefined; readonly from: number; readonly to: number };

/** Every row. */
export const FULL_SCAN: Access = { from: 0, to: Number.POSITIVE_INFINITY };

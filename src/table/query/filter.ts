import type { ColumnCondition } from '../condition/condition.ts';
import { type Mask, WORD_BITS } from '../pages/bits.ts';
import { PAGE_SLOTS, type Page } from '../pages/page.ts';

/** Slots; `to` is exclusive. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/** What finds the rows for a condition on a column, from the fastest to the slowest. */
export const MEANS = ['identity', 'bitmaps', 'order', 'signature', 'row test'] as const;
/** One of `MEANS`. */
export type Means = (typeof MEANS)[number];

/** Finds, page by page, the rows for which a condition may be true. */
export interface Filter {
  /**
   * Removes positions from a mask: only those of rows for which the condition is not true.
   *
   * @returns whether the condition is true for all that remain; if not, they must be tested
   */
  narrow(page: Page, mask: Mask): boolean;
  /** All rows for which the condition may be true have slots in this range. */
  readonly range: SlotRange;
  /** The slowest of its means. */
  readonly means: Means;
}

/** A condition on a column, and what finds its rows. */
export interface Leaf {
  readonly condition: ColumnCondition;
  readonly means: Means;
}

/** The range of all slots. */
export const EVERY_SLOT: SlotRange = { from: 0, to: Number.POSITIVE_INFINITY };

/** The filter of a condition that only a test of each row decides. */
export const ROW_TEST: Filter = { narrow: () => false, range: EVERY_SLOT, means: 'row test' };

/** Makes a mask that fits every page. */
export function newMask(): Mask {
  return new Int32Array(PAGE_SLOTS / WORD_BITS);
}

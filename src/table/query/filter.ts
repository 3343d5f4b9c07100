import { type Mask, WORD_BITS } from '../bits.ts';
import type { ColumnCondition } from '../condition/condition.ts';
import { PAGE_SLOTS, type Page } from '../pages/page.ts';

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
  /** The slowest of its means. */
  readonly means: Means;
}

/** A condition on a column, and what finds its rows. */
export interface Leaf {
  readonly condition: ColumnCondition;
  readonly means: Means;
}

/** The filter of a condition that only a test of each row decides. */
export const ROW_TEST: Filter = { narrow: () => false, means: 'row test' };

/** Makes a mask that fits every page. */
export function newMask(): Mask {
  return new Int32Array(PAGE_SLOTS / WORD_BITS);
}

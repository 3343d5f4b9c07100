import { clearBit, countBits, hasBit, type Mask, positionsIn, WORD_BITS, wordAt } from '../bits.ts';
import type { Page } from '../pages/page.ts';
import type { Pages } from '../pages/page-list.ts';
import { UNITS_PER_SEARCH } from '../pages/text-index.ts';
import type { StoredRow } from '../schema/column.ts';
import { type Criteria, newMask } from './criteria.ts';
import { type Pace, WORK_PER_CLOCK_READ } from './pace.ts';
import type { Batches } from './sort.ts';

/** Finds the matching rows of pages, one page after the other, in steps. */
export class Scan {
  readonly criteria: Criteria;
  readonly pages: Pages;
  readonly #pace: Pace;
  #unitsToSign = UNITS_PER_SEARCH;
  #mask: Mask | undefined;
  /** Whether no row of the current page can match: to count takes longer than to know that. */
  isEmpty = false;

  constructor(pages: Pages, criteria: Criteria, pace: Pace, mask?: Mask) {
    this.pages = pages;
    this.criteria = criteria;
    this.#pace = pace;
    this.#mask = mask;
  }

  /** The matching rows of the current page, or all that may match. */
  get mask(): Mask {
    this.#mask ??= newMask();
    return this.#mask;
  }

  /** Gives the mask away: the next page has another one. */
  takeMask(): Mask {
    const { mask } = this;
    this.#mask = undefined;
    return mask;
  }

  /** Fills the mask with the rows of a page that may match. Returns whether all of them do. */
  findCandidates(page: Page): boolean {
    const { filter, usesSignature } = this.criteria;
    if (usesSignature && page.isCurrent && this.#unitsToSign > 0) {
      this.#unitsToSign = this.pages.texts.signMore(page, this.#unitsToSign);
    }
    if (!filter) {
      // All of them match, so none is cleared.
      this.#mask = page.live;
      return true;
    }
    const found = filter.narrow(page, page.live, this.mask);
    this.isEmpty = found === 'nothing';
    if (this.isEmpty) this.mask.fill(0);
    return found !== 'candidates';
  }

  count({ size, words }: Page): number {
    if (!this.criteria.filter) return size;
    return this.isEmpty ? 0 : countBits(this.mask, 0, words);
  }

  /** Leaves only the matching rows of a page in the mask. */
  *testCandidates(page: Page): Generator<undefined, void> {
    const { mask } = this;
    const { cost } = this.criteria;
    const test = this.criteria.test();
    for (const at of positionsIn(mask, page.words)) {
      const row = page.rows[at];
      if (row === undefined) continue;
      const isIrregular = hasBit(page.irregular, at);
      if (!(test(row, isIrregular) ?? (yield* this.askAgain(row, isIrregular)))) clearBit(mask, at);
      if (this.#pace.note(cost)) yield;
    }
  }

  /** Tests a row until it is known whether it matches. */
  *askAgain(row: StoredRow, isIrregular: boolean): Generator<undefined, boolean> {
    for (;;) {
      if (this.#pace.note(WORK_PER_CLOCK_READ)) yield;
      const matches = this.criteria.test()(row, isIrregular);
      if (matches !== undefined) return matches;
    }
  }

  /** Finds the matching rows among those in the mask. A batch has at most the wanted number. */
  *rows(
    page: Page,
    isExact: boolean,
    { wanted = Number.POSITIVE_INFINITY, descending = false } = {},
  ): Batches<StoredRow> {
    const test = isExact ? undefined : this.criteria.test();
    const cost = isExact ? 1 / WORK_PER_CLOCK_READ : this.criteria.cost;
    const { mask } = this;
    const { irregular, rows, words } = page;
    let found: StoredRow[] = [];
    for (let i = 0; i < words; i++) {
      const w = descending ? words - 1 - i : i;
      for (let left = wordAt(mask, w); left !== 0; ) {
        const bit = 31 - Math.clz32(descending ? left : left & -left);
        left ^= 1 << bit;
        const at = w * WORD_BITS + bit;
        const row = rows[at];
        if (row === undefined) continue;
        const isIrregular = hasBit(irregular, at);
        const matches =
          !test || (test(row, isIrregular) ?? (yield* this.askAgain(row, isIrregular)));
        if (matches) found.push(row);
        if (!this.#pace.note(cost) && found.length < wanted) continue;
        yield found;
        found = [];
      }
    }
    if (this.#pace.note(WORK_PER_CLOCK_READ) || found.length > 0) yield found;
  }
}

import { countBits, hasBit, isEmpty, type Mask, positionsIn } from '../pages/bits.ts';
import type { Page } from '../pages/page.ts';
import type { PageSnapshot } from '../pages/page-list.ts';
import type { Pace } from '../query/pace.ts';
import { type Criteria, Scan } from '../query/scan.ts';
import { PAUSE } from '../query/sort.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { TableData } from './table-data.ts';

/** How often to examine again what has been written meanwhile, before the commit does it at once. */
const MAX_ROUNDS = 3;

/** Rows that have been removed, in order of their ids. */
export interface RemovedRows extends Iterable<StoredRow> {
  readonly length: number;
}

/** A page that has been examined: which of its rows match, and the page without them. */
interface Examined {
  readonly page: Page;
  readonly mask: Mask;
  /** Absent if none match. */
  readonly without: Page | undefined;
}

/**
 * Deletes the rows that match conditions, in one commit, without a long pause: the rows are found
 * in steps, and what the pages will be is made beside them. The commit puts it in their place, and
 * examines only rows that have been written meanwhile. Writers need not wait.
 */
export class Removal {
  readonly #data: () => TableData;
  readonly #criteria: Criteria;
  readonly #pace: Pace;
  readonly #commit: (removed: readonly RemovedRows[], number?: number) => void;
  readonly #examined = new Map<number, Examined>();
  #found: TableData | undefined;
  /** Keeps the examined pages as they are: a write makes copies. */
  #snapshot: PageSnapshot | undefined;

  /**
   * @param data returns the current data of the table
   * @param commit called with the rows that have been removed
   */
  constructor(
    data: () => TableData,
    criteria: Criteria,
    pace: Pace,
    commit: (removed: readonly RemovedRows[], number?: number) => void,
  ) {
    this.#data = data;
    this.#criteria = criteria;
    this.#pace = pace;
    this.#commit = commit;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<typeof PAUSE, void> {
    this.#pace.begin();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const pages = this.#data().pages.snapshot();
      this.#snapshot?.close();
      this.#snapshot = pages;
      this.#found = this.#data();
      let isCurrent = true;
      for (const page of pages.pages) {
        if (this.#examined.get(page.number)?.page === page) continue;
        isCurrent = false;
        for (const _ of this.#examine(page)) {
          yield PAUSE;
          this.#pace.begin();
        }
      }
      if (isCurrent) return;
    }
  }

  /**
   * Deletes the rows, those that have been written meanwhile included.
   *
   * @param number the number of the commit; by default, the next one of the table
   * @returns the number of deleted rows
   */
  commit(number?: number): number {
    const data = this.#data();
    if (data !== this.#found) this.#examined.clear();
    const removed = data.pages.pages.map((page) => this.#removeFrom(page, data));
    data.pages.tidy();
    this.close();
    const count = removed.reduce((sum, { length }) => sum + length, 0);
    if (count > 0) this.#commit(removed, number);
    return count;
  }

  /** Frees what the removal holds. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#examined.clear();
  }

  *#examine(page: Page): Generator<typeof PAUSE, void> {
    const scan = new Scan(this.#criteria, this.#pace);
    yield* scan.settle(page);
    const mask = scan.mask.slice(0, page.words);
    this.#examined.set(page.number, { page, mask, without: withoutRows(page, mask) });
  }

  #removeFrom(page: Page, data: TableData): RemovedRows {
    const examined = this.#examined.get(page.number);
    if (examined?.page !== page) return this.#removeChanged(page, data, examined);
    if (examined.without) data.pages.swap(page, examined.without);
    return new MaskedRows(page, examined.mask);
  }

  /** Removes rows from a page that has been written since it was examined, or is new. */
  #removeChanged(page: Page, { pages }: TableData, examined: Examined | undefined): RemovedRows {
    const { test } = this.#criteria;
    const { page: before, mask, without } = examined ?? {};
    const rows = page.rows.slice(0, page.end);
    const removed: StoredRow[] = [];
    if (without) pages.swap(page, without);
    rows.forEach((row, at) => {
      if (row === undefined) return;
      const slot = page.slotAt(at);
      const isExamined = before?.rowOf(slot) === row;
      const matches =
        isExamined && mask ? hasBit(mask, before.positionOf(slot)) : test(row, page, at);
      if (matches) removed.push(row);
      if (matches && !(isExamined && without)) pages.delete(slot);
      if (!matches && !isExamined && without) pages.put(slot, row, page.revisionAt(at));
    });
    if (without && before) {
      for (const at of positionsIn(before.live, before.words)) {
        const slot = before.slotAt(at);
        if (rows[page.positionOf(slot)] === undefined) pages.delete(slot);
      }
    }
    return removed;
  }
}

/** The rows at the positions of a mask, in a page that does not change any more. */
class MaskedRows implements RemovedRows {
  readonly length: number;
  readonly #page: Page;
  readonly #mask: Mask;

  constructor(page: Page, mask: Mask) {
    this.#page = page;
    this.#mask = mask;
    this.length = countBits(mask, 0, page.words);
  }

  *[Symbol.iterator](): Generator<StoredRow, void> {
    for (const at of positionsIn(this.#mask, this.#page.words)) {
      const row = this.#page.rows[at];
      if (row) yield row;
    }
  }
}

/** Copies a page without some rows; undefined if there are none to leave out. */
function withoutRows(page: Page, mask: Mask): Page | undefined {
  if (isEmpty(mask, page.words)) return undefined;
  const copy = page.copy(page.epoch);
  copy.deleteAll(mask);
  return copy.isSparse ? copy.packed(page.epoch) : copy;
}

import { clearBit, countBits, hasBit, type Mask, positionsIn } from '../bits.ts';
import { decide } from '../condition/predicate.ts';
import type { Page } from '../pages/page.ts';
import type { PageSnapshot, Pages } from '../pages/page-list.ts';
import type { Criteria } from '../query/criteria.ts';
import type { Pace } from '../query/pace.ts';
import { Scan } from '../query/scan.ts';
import type { Schema } from '../schema/column.ts';
import { asRow } from '../schema/row.ts';
import type { Change, ChangeList } from './commit.ts';

/** How often to look again at what has been written meanwhile, before the commit does it. */
const MAX_ROUNDS = 3;

/** A page, and which of its rows match. */
export interface FoundRows {
  readonly page: Page;
  readonly mask: Mask;
  /** The page without them: the same page, if there are none. */
  readonly without: Page;
}

/** What a removal is of. */
export interface RemovalOptions {
  /** Returns the current pages of the table. */
  readonly pages: () => Pages;
  readonly criteria: Criteria;
  readonly pace: Pace;
  /** Deletes the rows, and returns their number. */
  readonly commit: (found: readonly FoundRows[], number?: number) => number;
}

/**
 * Deletes the rows that match conditions, in one commit, without a long pause: the rows are found
 * in steps, and what the pages will be is made beside them. The commit puts it in their place, and
 * tests only rows that have been written meanwhile. Writers need not wait.
 */
export class Removal {
  readonly #options: RemovalOptions;
  /** What has been found, by number of the page. */
  readonly #found = new Map<number, FoundRows>();
  /** Keeps the examined pages as they are: a write makes copies. */
  #snapshot: PageSnapshot | undefined;
  #bytes: number;

  constructor(options: RemovalOptions) {
    this.#options = options;
    this.#bytes = options.criteria.bytes;
  }

  /** The memory that it holds, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    const { pages, pace } = this.#options;
    pace.begin();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const snapshot = pages().snapshot();
      this.#snapshot?.close();
      this.#snapshot = snapshot;
      let isCurrent = true;
      for (const page of snapshot.pages) {
        if (this.#found.get(page.number)?.page === page) continue;
        isCurrent = false;
        for (const _ of this.#findIn(page)) {
          yield;
          pace.begin();
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
   * @throws RemovalError within a transaction
   */
  commit(number?: number): number {
    const found = this.#options.pages().pages.map((page) => this.#foundNow(page));
    const count = this.#options.commit(found, number);
    this.close();
    return count;
  }

  /** Frees what the removal holds. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#found.clear();
  }

  *#findIn(page: Page): Generator<undefined, void> {
    const scan = new Scan(this.#options.criteria, this.#options.pace);
    yield* scan.settle(page);
    const mask = scan.mask.slice(0, page.words);
    const found = foundRows(page, mask);
    this.#found.set(page.number, found);
    const { without } = found;
    this.#bytes += mask.byteLength + (without === page ? 0 : without.structureBytes);
  }

  /** Finds rows again where a page has been written meanwhile, or is new. */
  #foundNow(page: Page): FoundRows {
    const found = this.#found.get(page.number);
    if (found?.page === page) return found;
    const mask = page.live.slice();
    for (const at of positionsIn(mask, page.words)) {
      if (!this.#matches(page, at, found)) clearBit(mask, at);
    }
    return foundRows(page, mask);
  }

  /** Whether a row matches: only one that has been written meanwhile need be tested. */
  #matches(page: Page, at: number, found: FoundRows | undefined): boolean {
    const row = page.rows[at];
    const before = found?.page.positionOf(page.slotAt(at)) ?? -1;
    if (found && before >= 0 && found.page.rows[before] === row) return hasBit(found.mask, before);
    return row !== undefined && decide(this.#options.criteria.test, row, page.texts, at);
  }
}

/** Returns deleted rows as changes, which are listed only while they are being read. */
export function deletionsOf<S extends Schema>(found: readonly FoundRows[]): ChangeList<S> {
  return {
    length: found.reduce((sum, { page, mask }) => sum + countBits(mask, 0, page.words), 0),
    *[Symbol.iterator](): Generator<Change<S>, void> {
      for (const { page, mask } of found) {
        for (const at of positionsIn(mask, page.words)) {
          const row = page.rows[at];
          if (row) yield { deleted: asRow<S>(row) };
        }
      }
    },
  };
}

function foundRows(page: Page, mask: Mask): FoundRows {
  const without = page.without(mask);
  const isWasteful = without !== page && without.isSparse;
  return { page, mask, without: isWasteful ? without.packed(page.epoch) : without };
}

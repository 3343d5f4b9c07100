import { clearBit, hasBit, type Mask, positionsIn } from '../bits.ts';
import { RemovalError } from '../errors.ts';
import type { Page } from '../pages/page.ts';
import type { PageSnapshot, Pages } from '../pages/page-list.ts';
import type { Criteria } from '../query/criteria.ts';
import { type Pace, WORK_PER_CLOCK_READ } from '../query/pace.ts';
import { Scan } from '../query/scan.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { PageDeletion, Transactions } from './transactions.ts';

/** How often to look again at what has been written meanwhile, before the commit does it. */
const MAX_ROUNDS = 3;

/** What a removal uses of the transactions of a table, of whatever schema. */
type TransactionsOfAny = Pick<Transactions<Schema>, 'pages' | 'isOpen' | 'deleteFound'>;

/**
 * Deletes the rows that match conditions, in one commit, without a long pause: finds them in steps,
 * and makes what the pages will be beside them. The commit puts that in their place, and tests only
 * rows that have been written meanwhile.
 */
export class Removal {
  readonly #transactions: TransactionsOfAny;
  readonly #criteria: Criteria;
  readonly #pace: Pace;
  /** What has been found, by number of the page. */
  readonly #found = new Map<number, PageDeletion>();
  /** Keeps the examined pages as they are: a write makes copies. */
  #snapshot: PageSnapshot | undefined;
  #bytes: number;

  /** @param transactions those of the table */
  constructor(transactions: TransactionsOfAny, criteria: Criteria, pace: Pace) {
    this.#transactions = transactions;
    this.#criteria = criteria;
    this.#pace = pace;
    this.#bytes = criteria.bytes;
  }

  /** The memory that it holds, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#pace.begin();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const snapshot = this.#transactions.pages.snapshot();
      this.#snapshot?.close();
      this.#snapshot = snapshot;
      const changed = snapshot.pages.filter((page) => page !== this.#found.get(page.number)?.page);
      if (changed.length === 0) return;
      for (const page of changed) {
        for (const _ of this.#findIn(snapshot, page)) {
          yield;
          this.#pace.begin();
        }
      }
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
    if (this.#transactions.isOpen) {
      throw new RemovalError('a removal cannot be committed within a transaction');
    }
    const found = this.#transactions.pages.pages.map((page) => this.#foundNow(page));
    // No page need be kept for the snapshot any more.
    this.close();
    return this.#transactions.deleteFound(found, number);
  }

  /** Frees what the removal holds. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#found.clear();
  }

  *#findIn(pages: Pages, page: Page): Generator<undefined, void> {
    const scan = new Scan(pages, this.#criteria, this.#pace);
    if (!scan.begin(page)) yield* scan.settle(page);
    if (this.#pace.note(WORK_PER_CLOCK_READ)) yield;
    const mask = scan.takeMask();
    const found = deletionOf(page, mask);
    this.#found.set(page.number, found);
    const { without } = found;
    this.#bytes += mask.byteLength + (without === page ? 0 : without.structureBytes);
  }

  /** Finds rows again where a page has been written meanwhile, or is new. */
  #foundNow(page: Page): PageDeletion {
    const found = this.#found.get(page.number);
    if (found?.page === page) return found;
    const mask = page.live.slice();
    for (const at of positionsIn(mask, page.words)) {
      const row = page.rows[at];
      // It may have been packed.
      const isThere = row === found?.page.rows[at];
      const before = isThere ? at : (found?.page.positionOf(page.slotAt(at)) ?? -1);
      const isKnown = found !== undefined && row === found.page.rows[before];
      const matches = isKnown ? hasBit(found.mask, before) : row && this.#matches(row);
      if (!matches) clearBit(mask, at);
    }
    const canFollow = found && found.without !== found.page && haveSamePositions(found.page, page);
    return canFollow ? followed(found, page, mask) : deletionOf(page, mask);
  }

  #matches(row: StoredRow): boolean {
    let answer: boolean | undefined;
    while (answer === undefined) answer = this.#criteria.test(row, true);
    return answer;
  }
}

function deletionOf(page: Page, mask: Mask): PageDeletion {
  const without = page.without(mask);
  const isWasteful = without !== page && without.isSparse;
  return { page, mask, without: isWasteful ? without.packed(page.epoch) : without };
}

/** Whether positions of two versions of a page are those of the same slots. */
function haveSamePositions(a: Page, b: Page): boolean {
  if (a.end !== b.end) return false;
  for (let at = 0; at < a.end; at++) if (a.slotAt(at) !== b.slotAt(at)) return false;
  return true;
}

/** Makes the changes of a page since its rows were found in the page without them, too. */
function followed({ page: before, without }: PageDeletion, page: Page, mask: Mask): PageDeletion {
  let result = without;
  for (let at = 0; at < page.end; at++) {
    if (page.rows[at] === before.rows[at]) continue;
    const slot = page.slotAt(at);
    const row = hasBit(mask, at) ? undefined : page.rows[at];
    if (row) result = withRow(result, slot, row, page.revisionAt(at));
    else result.delete(result.positionOf(slot));
  }
  return { page, mask, without: result };
}

/** Puts a row into a slot of a page, or of a copy if the page has no room for it. */
function withRow(page: Page, slot: number, row: StoredRow, revision: number): Page {
  const hasRoom = page.positionOf(slot) >= 0 || page.canAppend(slot);
  const result = hasRoom ? page : page.withRoomFor(slot, page.epoch);
  const at = result.positionOf(slot);
  result.put(at < 0 ? result.append(slot) : at, row, revision);
  return result;
}

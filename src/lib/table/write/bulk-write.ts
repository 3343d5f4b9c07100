import { clearBit, countBits, hasBit, type Mask, positionsIn } from '../bits.ts';
import { CommitError } from '../errors.ts';
import { isSparse } from '../pages/capacity.ts';
import type { Page } from '../pages/page.ts';
import type { PageSnapshot, Pages } from '../pages/page-list.ts';
import type { Region } from '../pages/signature.ts';
import type { Criteria } from '../query/criteria.ts';
import { finish, Pace, WORK_PER_CLOCK_READ } from '../query/pace.ts';
import { Scan } from '../query/scan.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import type { PageWrite, Transactions } from './transactions.ts';

/** How often to look again at what has been written meanwhile, before the commit does it. */
const MAX_ROUNDS = 3;

type TransactionsOfAny = Pick<Transactions<Schema>, 'pages' | 'depth' | 'writePages'>;

/** What has been found of a page: the rows that match, and what to write. */
interface FoundPage extends PageWrite {
  readonly matching: Mask;
}

/**
 * Deletes or changes the rows that match conditions, in one commit, without a long pause: finds
 * them in steps, and makes what the pages will be beside them. The commit puts that in their place,
 * and tests only rows that have been written meanwhile.
 */
export class BulkWrite {
  readonly #transactions: TransactionsOfAny;
  readonly #criteria: Criteria;
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  /** What has been found, by number of the page. */
  readonly #found = new Map<number, FoundPage>();
  /** Keeps the examined pages as they are: a write makes copies. */
  #snapshot: PageSnapshot | undefined;
  #bytes: number;

  /** @param change makes the new row of one that matches; by default, rows are deleted */
  constructor(transactions: TransactionsOfAny, criteria: Criteria, pace: Pace, change?: RowChange) {
    this.#transactions = transactions;
    this.#criteria = criteria;
    this.#pace = pace;
    this.#change = change;
    this.#bytes = criteria.bytes;
  }

  /** Deletes the rows that match at once, in a transaction as well, and returns how many. */
  static deleteNow(transactions: TransactionsOfAny, criteria: Criteria): number {
    return new BulkWrite(transactions, criteria, Pace.endless()).#write();
  }

  /** The memory that it holds, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#pace.beginStep();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const snapshot = this.#transactions.pages.snapshot();
      this.#snapshot?.close();
      this.#snapshot = snapshot;
      const pages = snapshot.read();
      const changed = pages.pages.filter((page) => page !== this.#found.get(page.number)?.page);
      if (changed.length === 0) return;
      for (const page of changed) {
        const steps = this.#findIn(pages, page);
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          yield;
          this.#pace.beginStep();
        }
        const found = step.value;
        this.#found.set(page.number, found);
        this.#bytes += found.mask.byteLength;
        if (found.newer !== page) this.#bytes += found.newer.structureBytes;
      }
    }
  }

  /**
   * Deletes or changes the rows, those that have been written meanwhile included. Rows that the
   * changes leave as they are count as well, but are not written.
   * @param number the number of the commit; by default, the next one of the table
   * @returns the number of rows that match
   * @throws CommitError within a transaction
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(number?: number): number {
    if (this.#transactions.depth === 0) return this.#write(number);
    throw new CommitError('a bulk write cannot be committed within a transaction');
  }

  #write(number?: number): number {
    const found = this.#transactions.pages.pages.map((page) => this.#foundNow(page));
    // No page need be kept for the snapshot any more.
    this.close();
    this.#transactions.writePages(found, number);
    return found.reduce((sum, { page, matching }) => sum + countBits(matching, 0, page.words), 0);
  }

  /** Frees what it holds. To abandon it, call this instead of `commit`. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#found.clear();
  }

  *#findIn(pages: Pages, page: Page): Generator<undefined, FoundPage> {
    const scan = new Scan(pages, this.#criteria, this.#pace);
    if (!scan.findCandidates(page)) yield* scan.testCandidates(page);
    if (this.#pace.note(WORK_PER_CLOCK_READ)) yield;
    return yield* this.#prepared(page, scan.takeMask());
  }

  *#prepared(page: Page, matching: Mask): Generator<undefined, FoundPage> {
    if (!this.#change) {
      // A transaction packs at its end: undone, a packed page would get each row in a copy.
      const isOpen = this.#transactions.depth > 0;
      const without = page.without(matching, isOpen);
      const isWasteful = without !== page && isSparse(without) && !isOpen;
      return this.#foundPage(page, isWasteful ? without.packed(page.epoch) : without, matching);
    }
    let newer = page;
    for (const at of positionsIn(matching, page.words)) {
      const row = page.rows[at];
      const after = row && this.#change(row);
      if (after && after !== row) {
        if (newer === page) newer = page.copy(page.epoch);
        newer.put(at, after, 0);
        this.#transactions.pages.texts.changed(page, at, row, after);
      }
      if (this.#pace.note()) yield;
    }
    return this.#foundPage(page, newer, matching);
  }

  /** Finds rows again where a page has been written meanwhile, is new, or a replacement's. */
  #foundNow(page: Page): FoundPage {
    const found = this.#found.get(page.number);
    if (found?.page === page) return found;
    if (found?.page.schema !== page.schema) {
      return finish(this.#findIn(this.#transactions.pages, page));
    }
    const matching = page.live.slice();
    for (const at of positionsIn(matching, page.words)) {
      const row = page.rows[at];
      // The page may have been packed since, so positions may differ.
      const isThere = row === found.page.rows[at];
      const before = isThere ? at : found.page.positionOf(page.slotAt(at));
      const isKnown = row === found.page.rows[before];
      const matches = isKnown ? hasBit(found.matching, before) : row && this.#matches(row);
      if (!matches) clearBit(matching, at);
    }
    if (found.newer !== found.page && haveSamePositions(found.page, page)) {
      return this.#followed(found, page, matching);
    }
    return finish(this.#prepared(page, matching));
  }

  /** Repeats the writes to a page since its rows were found in what the page will be. */
  #followed(found: FoundPage, page: Page, matching: Mask): FoundPage {
    const { page: before, newer: prepared, region } = found;
    let newer = prepared;
    for (let at = 0; at < page.end; at++) {
      const row = page.rows[at];
      if (row === before.rows[at]) continue;
      const slot = page.slotAt(at);
      const after = row && hasBit(matching, at) ? this.#change?.(row) : row;
      if (row && after) {
        newer = newer.withRoomFor(slot, newer.epoch);
        newer.put(newer.positionFor(slot), after, page.revisionAt(at));
        if (after !== row) this.#transactions.pages.texts.changed(page, at, row, after);
      } else newer.delete(newer.positionOf(slot));
    }
    return this.#foundPage(
      page,
      newer,
      matching,
      region === markedRegion(page) ? region : undefined,
    );
  }

  /** @param newer without the rows that match, or with these at the same positions, some changed */
  #foundPage(page: Page, newer: Page, matching: Mask, region = markedRegion(page)): FoundPage {
    const after: StoredRow[] = [];
    if (!this.#change) {
      const dropped = page.rowBytes - newer.rowBytes;
      return { page, newer, matching, mask: matching, after, dropped };
    }
    const mask = matching.slice();
    let dropped = 0;
    for (const at of positionsIn(matching, page.words)) {
      const row = newer.rows[at];
      if (row === undefined || row === page.rows[at]) clearBit(mask, at);
      else {
        after.push(row);
        dropped += page.rowBytesAt(at);
      }
    }
    return { page, newer, matching, mask, after, dropped, region };
  }

  #matches(row: StoredRow): boolean {
    return this.#criteria.test()(row, true) ?? this.#matches(row);
  }
}

/** Returns the region of a page that has words for all of its positions. */
function markedRegion({ region, words }: Page): Region | undefined {
  return region && region.words >= words ? region : undefined;
}

/** Whether positions of two versions of a page are those of the same slots. */
function haveSamePositions(a: Page, b: Page): boolean {
  if (a.end !== b.end) return false;
  for (let at = 0; at < a.end; at++) if (a.slotAt(at) !== b.slotAt(at)) return false;
  return true;
}

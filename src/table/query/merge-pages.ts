import { hasBit, type Mask } from '../bits.ts';
import { PAGE_SLOTS, type Page } from '../pages/page.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { Heap } from './heap.ts';
import type { ColumnOrder, Positions } from './order.ts';
import type { Pace } from './pace.ts';
import type { Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import { BATCH_LENGTH, type Batches } from './sort.ts';

/**
 * Finds the matching rows in the order of a column that pages know: merges the pages, each of which
 * is read when its turn comes, or passed over if all its rows come before the offset.
 */
export function* mergedByColumn(
  scan: Scan,
  order: ColumnOrder,
  { offset, limit }: CheckedOptions,
  pace: Pace,
): Batches<StoredRow> {
  const runs = new Heap<PageRun>((a, b) => a.compare(b));
  for (const page of scan.pages.pages) {
    if (page.size > 0) runs.push(new PageRun(page, order));
    if (pace.note()) yield;
  }
  let before = offset;
  let left = limit;
  let batch: StoredRow[] = [];
  for (let run = runs.first; run && left > 0; run = runs.first) {
    const { row, page, at } = run;
    if (!row) {
      const isExact = scan.begin(page);
      const count = isExact && before > 0 ? scan.count(page) : undefined;
      if (count !== undefined && count <= before) {
        runs.pop();
        if (run.endsBefore(runs.first)) {
          before -= count;
          continue;
        }
        runs.push(run);
      }
      run.open(scan.criteria.filter ? scan.takeMask() : page.live, isExact);
    } else {
      const isIrregular = hasBit(page.irregular, at);
      const test = run.isExact ? undefined : scan.criteria.test;
      const matches = !test || (test(row, isIrregular) ?? (yield* scan.askAgain(row, isIrregular)));
      if (matches && before > 0) before--;
      else if (matches) {
        batch.push(row);
        left--;
      }
    }
    if (run.advance()) runs.replaceFirst(run);
    else runs.pop();
    if (!pace.note(scan.criteria.cost) && batch.length < BATCH_LENGTH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

const NO_ROWS: Mask = new Int32Array();
const NO_POSITIONS: Positions = () => -1;

/** A page, and how far it has been read in the order of a column. */
class PageRun {
  readonly page: Page;
  /** The next row in the mask, and its position; undefined until the run is open. */
  row: StoredRow | undefined;
  at = 0;
  /** Whether all rows in the mask match. */
  isExact = false;
  readonly #order: ColumnOrder;
  /** The value and the slot of the next row, or at first, lower bounds of them. */
  #value: Value | null;
  #slot: number;
  #next = NO_POSITIONS;
  #mask = NO_ROWS;

  constructor(page: Page, order: ColumnOrder) {
    this.page = page;
    this.#order = order;
    this.#value = order.end(page, 'first');
    this.#slot = page.number * PAGE_SLOTS;
  }

  /** Compares the next row with that of another page. */
  compare(other: PageRun): number {
    return this.#compare(this.#value, this.#slot, other);
  }

  /** Whether all rows come before those of another page. */
  endsBefore(other: PageRun | undefined): boolean {
    if (!other) return true;
    const { page } = this;
    return this.#compare(this.#order.end(page, 'last'), page.slotAt(page.end - 1), other) < 0;
  }

  /** @param isExact whether all rows in the mask match */
  open(mask: Mask, isExact: boolean): void {
    this.#mask = mask;
    this.isExact = isExact;
    this.#next = this.#order.positions(this.page, mask);
  }

  /** Goes on to the next row in the mask. Returns whether there is one. */
  advance(): boolean {
    const next = this.#next;
    for (let at = next(); at >= 0; at = next()) {
      const row = hasBit(this.#mask, at) ? this.page.rows[at] : undefined;
      if (row === undefined) continue;
      this.#value = row[this.#order.column] ?? null;
      this.#slot = this.page.slotAt(at);
      this.row = row;
      this.at = at;
      return true;
    }
    return false;
  }

  #compare(value: Value | null, slot: number, other: PageRun): number {
    return this.#order.compare(value, other.#value) || slot - other.#slot;
  }
}

import { firstNotBefore } from '../binary-search.ts';
import { hasBit, type Mask } from '../bits.ts';
import type { Page } from '../pages/page.ts';
import type { PageStart } from '../pages/page-list.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import type { ColumnOrder, Positions } from './order.ts';
import type { Pace } from './pace.ts';
import type { Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import { BATCH_LENGTH, type Batches } from './sort.ts';

/**
 * Finds the matching rows in the order of a column that pages know: merges the pages, each of which
 * is opened when its first row may be the next one, or passed over if it ends before the offset.
 */
export function* mergedByColumn(
  scan: Scan,
  order: ColumnOrder,
  starts: readonly PageStart[],
  { offset, limit }: CheckedOptions,
  pace: Pace,
): Batches<StoredRow> {
  const { criteria } = scan;
  /** The pages that are open; the one with the next row comes last. */
  const runs: PageRun[] = [];
  let [opened, before, left] = [0, offset, limit];
  let batch: StoredRow[] = [];
  while (left > 0) {
    const run = runs.at(-1);
    const start = starts[opened];
    if (start && (!run || order.comparePlaces(start, run) <= 0)) {
      opened++;
      const { page } = start;
      const isExact = scan.findCandidates(page);
      const count = isExact ? scan.count(page) : Number.NaN;
      if (count <= before && order.endsBefore(page, run, starts[opened])) before -= count;
      else if (count !== 0) {
        const next = new PageRun(page, order, scan.takeMask(), isExact);
        if (next.advance()) insert(next);
      }
    } else if (run?.row) {
      const { row, isExact } = run;
      const isIrregular = hasBit(run.page.irregular, run.at);
      const matches =
        isExact || (criteria.test()(row, isIrregular) ?? (yield* scan.askAgain(row, isIrregular)));
      if (matches && before > 0) before--;
      else if (matches) {
        batch.push(row);
        left--;
      }
      if (!run.advance()) runs.pop();
      else if (runs.length > 1) {
        runs.pop();
        insert(run);
      }
    } else break;
    if (!pace.note(criteria.cost) && batch.length < BATCH_LENGTH) continue;
    yield batch;
    batch = [];
  }
  yield batch;

  function insert(run: PageRun): void {
    const isAfter = (each?: PageRun) => each !== undefined && order.comparePlaces(each, run) > 0;
    const last = runs.length - 1;
    const at = isAfter(runs[last]) ? last + 1 : firstNotBefore(last, (i) => isAfter(runs[i]));
    runs.splice(at, 0, run);
  }
}

/** A page, and how far it has been read in the order of a column. */
class PageRun {
  readonly page: Page;
  readonly isExact: boolean;
  /** The next row in the mask, its position, its value and its slot. */
  row: StoredRow | undefined;
  at = 0;
  value: Value | null = null;
  slot = 0;
  readonly #column: string;
  readonly #mask: Mask;
  readonly #next: Positions;

  /** @param isExact whether all rows in the mask match */
  constructor(page: Page, order: ColumnOrder, mask: Mask, isExact: boolean) {
    this.page = page;
    this.isExact = isExact;
    this.#column = order.column;
    this.#mask = mask;
    this.#next = order.positions(page, mask);
  }

  /** Goes on to the next row in the mask. Returns whether there is one. */
  advance(): boolean {
    const next = this.#next;
    for (let at = next(); at >= 0; at = next()) {
      const row = hasBit(this.#mask, at) ? this.page.rows[at] : undefined;
      if (row === undefined) continue;
      this.value = row[this.#column] ?? null;
      this.slot = this.page.slotAt(at);
      this.row = row;
      this.at = at;
      return true;
    }
    return false;
  }
}

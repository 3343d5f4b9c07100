import type { Predicate } from '../condition/predicate.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { PAGE_SIZE, type Page } from '../storage/page.ts';
import type { Rows } from '../storage/row-store.ts';
import type { Pace } from './pace.ts';
import type { RangeAccess } from './plan.ts';
import type { Batches } from './sort.ts';

/** Rows, which of them are wanted, and how long a step may last. */
export interface Scan {
  readonly rows: Rows;
  /** Absent where every row is wanted. */
  readonly test: Predicate | undefined;
  /** The pieces of work that it takes to ask a row. */
  readonly cost: number;
  readonly pace: Pace;
}

/** Finds the wanted rows in a range of slots, page by page. */
export function* scanRange(
  { rows, test, cost, pace }: Scan,
  { from, to, descending = false }: Omit<RangeAccess, 'kind'>,
): Batches<StoredRow> {
  const end = Math.min(to, rows.end);
  const firstPage = Math.floor(from / PAGE_SIZE);
  const pages = Math.ceil(end / PAGE_SIZE) - firstPage;
  for (let i = 0; i < pages; i++) {
    const start = (firstPage + (descending ? pages - 1 - i : i)) * PAGE_SIZE;
    const page = rows.page(start);
    if (!page) continue;
    const first = Math.max(0, from - start);
    const last = Math.min(PAGE_SIZE, end - start) - 1;
    let found: StoredRow[] = [];
    for (let n = 0; n <= last - first; n++) {
      const at = descending ? last - n : first + n;
      const row = page.rows[at];
      if (row !== undefined && (!test || test(row, page, at))) found.push(row);
      if (!pace.note(cost)) continue;
      yield found;
      found = [];
    }
    yield found;
  }
}

/** Finds the wanted rows among some slots, in their order. */
export function* scanSlots(
  { rows, test, cost, pace }: Scan,
  slots: readonly number[],
): Batches<StoredRow> {
  let found: StoredRow[] = [];
  let page: Page | undefined;
  let start = Number.NaN;
  for (const slot of slots) {
    if (!(slot >= start && slot < start + PAGE_SIZE)) {
      start = Math.floor(slot / PAGE_SIZE) * PAGE_SIZE;
      page = rows.page(slot);
    }
    const at = slot - start;
    const row = page?.rows[at];
    if (page && row !== undefined && (!test || test(row, page, at))) found.push(row);
    if (!pace.note(cost)) continue;
    yield found;
    found = [];
  }
  yield found;
}

/** Leaves out the pages before an offset without a look at their rows, where every row counts. */
export function afterWholePages(
  rows: Rows,
  access: RangeAccess,
  offset: number,
): { access: RangeAccess; offset: number } {
  let { from, to } = { from: access.from, to: Math.min(access.to, rows.end) };
  let left = offset;
  while (from < to) {
    const start = access.descending ? to - PAGE_SIZE : from;
    const live = rows.page(start)?.live ?? 0;
    if (live > left) break;
    left -= live;
    if (access.descending) to = start;
    else from += PAGE_SIZE;
  }
  return { access: { ...access, from, to }, offset: left };
}

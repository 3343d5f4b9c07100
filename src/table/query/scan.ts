import type { Predicate } from '../condition/predicate.ts';
import type { SlotBlocks } from '../indexes/slot-blocks.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { PAGE_SIZE, type Page } from '../storage/page.ts';
import type { Rows } from '../storage/row-store.ts';
import { type Pace, WORK_PER_CLOCK_READ } from './pace.ts';
import type { SlotRange } from './plan.ts';
import type { Batches } from './sort.ts';

/** The rows to scan, the rows wanted, and the pace. */
export interface Scan {
  readonly rows: Rows;
  /** Undefined if every row is wanted. */
  readonly test: Predicate | undefined;
  /** The units of work to test a row. */
  readonly cost: number;
  readonly pace: Pace;
  /** The number of rows that ends a batch early: as many as the caller needs. */
  readonly rowsWanted: number;
}

/** Finds the wanted rows in a range of slots, page by page. */
export function* scanRange(
  scan: Scan,
  { from, to, descending = false }: SlotRange,
): Batches<StoredRow> {
  const { rows, cost, pace, rowsWanted } = scan;
  const end = Math.min(to, rows.end);
  const firstPage = Math.floor(from / PAGE_SIZE);
  const pages = Math.ceil(end / PAGE_SIZE) - firstPage;
  const stride = rowsPerClockRead(cost);
  for (let i = 0; i < pages; i++) {
    const start = (firstPage + (descending ? pages - 1 - i : i)) * PAGE_SIZE;
    const page = rows.page(start);
    if (!page) continue;
    const first = Math.max(0, from - start);
    const last = Math.min(PAGE_SIZE, end - start) - 1;
    let found: StoredRow[] = [];
    for (let done = 0; done <= last - first; done += stride) {
      const count = Math.min(stride, last - first + 1 - done);
      if (descending) collect(scan, page, last - done, count, -1, found);
      else collect(scan, page, first + done, count, 1, found);
      if (!pace.note(count * cost) && found.length < rowsWanted) continue;
      yield found;
      found = [];
    }
    yield found;
  }
}

/** Returns the number of rows to test between two reads of the clock. */
function rowsPerClockRead(cost: number): number {
  return Math.max(1, Math.floor(WORK_PER_CLOCK_READ / cost));
}

/** Adds the wanted rows among `count` consecutive rows of a page to `found`. */
function collect(
  { test }: Scan,
  page: Page,
  from: number,
  count: number,
  direction: 1 | -1,
  found: StoredRow[],
): void {
  const { rows } = page;
  for (let i = 0, at = from; i < count; i++, at += direction) {
    const row = rows[at];
    if (row !== undefined && (!test || test(row, page, at))) found.push(row);
  }
}

/** Finds the wanted rows among those of a list of slots, in the order of the list. */
export function* scanSlots(scan: Scan, slots: readonly number[]): Batches<StoredRow> {
  const { cost, pace, rowsWanted } = scan;
  const stride = rowsPerClockRead(cost);
  let found: StoredRow[] = [];
  for (let done = 0; done < slots.length; done += stride) {
    const count = Math.min(stride, slots.length - done);
    collectSlots(scan, slots, done, done + count, found);
    if (!pace.note(count * cost) && found.length < rowsWanted) continue;
    yield found;
    found = [];
  }
  yield found;
}

/** Drops the slots whose row does not pass a test, which is one unit of work. */
export function* matchingSlots(
  slots: SlotBlocks,
  rows: Rows,
  test: Predicate,
  pace: Pace,
): SlotBlocks {
  for (const block of slots) {
    const matching: number[] = [];
    for (const slot of block) {
      if (wantedRow(rows, test, slot) !== undefined) matching.push(slot);
      if (pace.note()) yield [];
    }
    yield matching;
  }
}

/** Adds the wanted rows among those of `slots[from]` up to `slots[to - 1]` to `found`. */
function collectSlots(
  { rows, test }: Scan,
  slots: readonly number[],
  from: number,
  to: number,
  found: StoredRow[],
): void {
  for (let i = from; i < to; i++) {
    const row = wantedRow(rows, test, slots[i] ?? 0);
    if (row !== undefined) found.push(row);
  }
}

/** Returns the row of a slot, if there is one and it is wanted. */
function wantedRow(rows: Rows, test: Predicate | undefined, slot: number): StoredRow | undefined {
  const page = rows.page(slot);
  const at = slot % PAGE_SIZE;
  const row = page?.rows[at];
  return page && row !== undefined && (!test || test(row, page, at)) ? row : undefined;
}

/**
 * Skips the pages before an offset by their row counts, for a scan that wants every row.
 *
 * @returns the rest of the range, and the rows still to skip
 */
export function skipWholePages(
  rows: Rows,
  range: SlotRange,
  offset: number,
): { range: SlotRange; offset: number } {
  let { from, to } = { from: range.from, to: Math.min(range.to, rows.end) };
  let left = offset;
  while (from < to) {
    const start = range.descending ? to - PAGE_SIZE : from;
    const live = rows.page(start)?.live ?? 0;
    if (live > left) break;
    left -= live;
    if (range.descending) to = start;
    else from += PAGE_SIZE;
  }
  return { range: { ...range, from, to }, offset: left };
}

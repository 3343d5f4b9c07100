import type { Test } from '../condition/predicate.ts';
import type { SlotBlocks } from '../indexes/slot-blocks.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { PAGE_SIZE, type Page } from '../storage/page.ts';
import type { Rows } from '../storage/row-store.ts';
import type { Access, RangeAccess } from './plan.ts';
import { type Compare, rowComparator } from './row-order.ts';
import type { Window } from './search-options.ts';
import { sortInSteps } from './sort.ts';

/** Rows are gathered up to this number, at least, before they are sorted. */
const MIN_SORTED = 1024;

/** A query that is ready to run over the rows of a moment. */
export interface Query {
  readonly rows: Rows;
  readonly access: Access;
  /** Absent where every row is wanted. */
  readonly test: Test | undefined;
  /** Whether the access gives another order than the one wanted. */
  readonly mustSort: boolean;
}

/**
 * Runs a query step by step, in the order of its access. Each step gives the matches among some
 * hundred rows, perhaps none, so that whoever pulls can stop or pause between steps.
 */
export function* matches(query: Query): Generator<StoredRow[]> {
  const { access } = query;
  if (access.kind === 'range') {
    yield* matchesBetween(query, access);
  } else {
    yield* matchesAmong(query, access.slots);
    const { unindexedFrom: from } = access;
    yield* matchesBetween(query, { kind: 'range', from, to: Number.POSITIVE_INFINITY });
  }
}

function* matchesBetween({ rows, test }: Query, { from, to, descending }: RangeAccess) {
  const end = Math.min(to, rows.end);
  const firstPage = Math.floor(from / PAGE_SIZE);
  const pages = Math.ceil(end / PAGE_SIZE) - firstPage;
  for (let i = 0; i < pages; i++) {
    const start = (firstPage + (descending ? pages - 1 - i : i)) * PAGE_SIZE;
    const page = rows.page(start);
    if (!page) continue;
    const found: StoredRow[] = [];
    const last = Math.min(PAGE_SIZE, end - start);
    for (let at = Math.max(0, from - start); at < last; at++) {
      const row = page.rows[at];
      if (row !== undefined && (!test || test(row, page, at))) found.push(row);
    }
    yield descending ? found.reverse() : found;
  }
}

function* matchesAmong({ rows, test }: Query, blocks: SlotBlocks) {
  for (const slots of blocks) {
    const found: StoredRow[] = [];
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
    }
    yield found;
  }
}

/** Runs a query step by step, in the order and within the limits that a window asks for. */
export function* windowed(layout: Layout, query: Query, window: Window): Generator<StoredRow[]> {
  const rest = query.mustSort ? undefined : afterWholePages(query, window.offset);
  let toSkip = rest?.offset ?? window.offset;
  let toGive = window.limit;
  const ordered = rest ? matches({ ...query, access: rest.access }) : sorted(layout, query, window);
  if (toGive === 0) return;
  for (const batch of ordered) {
    const isWhole = toSkip === 0 && batch.length <= toGive;
    const given = isWhole ? batch : batch.slice(toSkip, toSkip + toGive);
    toSkip = Math.max(0, toSkip - batch.length);
    toGive -= given.length;
    yield given;
    if (toGive === 0) return;
  }
}

/** Leaves out the pages before an offset without a look at their rows, where every row counts. */
function afterWholePages(
  { rows, access, test }: Query,
  offset: number,
): { access: Access; offset: number } {
  if (access.kind === 'index' || test) return { access, offset };
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

/** Gives empty batches while it gathers, and then the rows in order, no more than are wanted. */
function* sorted(layout: Layout, query: Query, window: Window): Generator<StoredRow[]> {
  const compare = rowComparator(layout, window.orderBy);
  const wanted = window.offset + window.limit;
  let best: StoredRow[] = [];
  // To sort now and then, and drop what comes too late, takes no more memory than twice what is
  // wanted. Sorting is stable and rows come by id, so those that tie stay in order of their ids.
  const enough = Math.max(2 * wanted, MIN_SORTED);
  let last: StoredRow | undefined;
  for (const batch of matches(query)) {
    for (const row of batch) if (!last || compare(row, last) < 0) best.push(row);
    if (best.length > enough) {
      best = yield* ordered(best, compare);
      best.length = wanted;
      last = best.at(-1);
    }
    yield [];
  }
  best = yield* ordered(best, compare);
  for (let at = 0; at < best.length; at += PAGE_SIZE) yield best.slice(at, at + PAGE_SIZE);
}

function* ordered(
  rows: readonly StoredRow[],
  compare: Compare,
): Generator<StoredRow[], StoredRow[]> {
  const steps = sortInSteps(rows, compare);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield [];
  }
}

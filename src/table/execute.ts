import type { Test } from './compile.ts';
import type { Layout, StoredRow } from './layout.ts';
import { rowComparator, type Window } from './options.ts';
import { PAGE_SIZE, type Rows } from './pages.ts';
import type { Access } from './plan.ts';

/** A query that is ready to run over the rows of a moment. */
export interface Query {
  readonly rows: Rows;
  readonly access: Access;
  readonly test: Test;
}

/**
 * Runs a query page by page, in order of ids. Each step gives the matches among some hundred rows,
 * perhaps none, so that whoever pulls can stop or pause between steps.
 */
export function* matches(query: Query): Generator<StoredRow[]> {
  const { access } = query;
  if (access.slots) yield* matchesAmong(query, access.slots);
  else yield* matchesBetween(query, access.from, access.to);
}

function* matchesBetween({ rows, test }: Query, from: number, to: number) {
  const end = Math.min(to, rows.end);
  for (let slot = from; slot < end; slot += PAGE_SIZE - (slot % PAGE_SIZE)) {
    const page = rows.page(slot);
    if (!page) continue;
    const found: StoredRow[] = [];
    const first = slot % PAGE_SIZE;
    const last = Math.min(PAGE_SIZE, first + end - slot);
    for (let at = first; at < last; at++) {
      const row = page.rows[at];
      if (row !== undefined && test(row, page, at)) found.push(row);
    }
    yield found;
  }
}

function* matchesAmong({ rows, test }: Query, slots: readonly number[]) {
  let found: StoredRow[] = [];
  for (const [i, slot] of slots.entries()) {
    const page = rows.page(slot);
    const at = slot % PAGE_SIZE;
    const row = page?.rows[at];
    if (page && row !== undefined && test(row, page, at)) found.push(row);
    if ((i + 1) % PAGE_SIZE === 0) {
      yield found;
      found = [];
    }
  }
  yield found;
}

/** Runs a query step by step in the order, and within the limits, that a window asks for. */
export function* windowed(layout: Layout, query: Query, window: Window): Generator<StoredRow[]> {
  const { orderBy, offset, limit } = window;
  let toSkip = offset;
  let toGive = limit;
  const ordered = orderBy.length === 0 ? matches(query) : sorted(layout, query, window);
  for (const batch of ordered) {
    if (toGive === 0) return;
    const given =
      toSkip === 0 && batch.length <= toGive ? batch : batch.slice(toSkip, toSkip + toGive);
    toSkip = Math.max(0, toSkip - batch.length);
    toGive -= given.length;
    yield given;
  }
}

/** Gives empty batches while it gathers, and then all rows in order. */
function* sorted(layout: Layout, query: Query, { orderBy }: Window): Generator<StoredRow[]> {
  const all: StoredRow[] = [];
  for (const batch of matches(query)) {
    for (const row of batch) all.push(row);
    yield [];
  }
  // The sort is stable, and the rows come in order of ids.
  yield all.sort(rowComparator(layout, orderBy));
}

import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows, type ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Entry } from '../state/entry.ts';
import type { State } from '../state/state.ts';
import type { Criterion } from './criteria.ts';
import { type ChunkMatches, entriesOf, findMatches } from './matches.ts';
import { groupsOf, keyOf } from './order.ts';
import type { Pace } from './pace.ts';
import type { CheckedOptions, Order } from './search-options.ts';
import { sorted } from './sort.ts';

/** Lists of rows. Undefined or empty at the end of a step without rows. */
type Batches = Generator<StoredRow[] | undefined, void>;

/** Lists of entries. Undefined at the end of a step. */
type Listing = Generator<readonly Entry[] | undefined, void>;

/** The rows after which a batch ends. A reader may hold a batch for long, such as a slow client. */
const BATCH = 256;

/** A search of the rows of a state. */
export interface Search {
  readonly schema: ResolvedSchema;
  readonly state: State;
  readonly criteria: readonly Criterion[];
  readonly options: CheckedOptions;
  readonly pace: Pace;
}

/**
 * Runs a search in steps, or returns its rows one after the other if iterated: finds all matching
 * rows of the state in which it was opened, and then lists some of them in order.
 */
export class Cursor<S extends Schema> implements Iterable<Row<S>> {
  /** Undefined after `close`. Then the cursor keeps no rows. */
  #search: Search | undefined;
  #batches: Batches;
  #total: number | undefined;

  constructor(search: Search) {
    this.#search = search;
    this.#batches = this.#results(search);
  }

  /**
   * The number of matching rows, regardless of limit and offset. Undefined until they are found,
   * before the first row.
   */
  get total(): number | undefined {
    return this.#total;
  }

  /** Searches for a fraction of a millisecond, and returns the rows; undefined if none yet. */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (!this.#search) return { done: true, value: undefined };
    this.#search.pace.beginStep();
    const { done, value } = this.#batches.next();
    if (done) return { done: true, value: undefined };
    return { done: false, value: value?.length ? asRows<S>(value) : undefined };
  }

  /** Finds the rows one after the other, however long that takes, and closes the cursor. */
  *[Symbol.iterator](): Generator<Row<S>, void> {
    try {
      for (let step = this.next(); !step.done; step = this.next()) yield* step.value ?? [];
    } finally {
      this.close();
    }
  }

  /** Begins again, in the same state, also after the last row. A closed cursor has no rows. */
  restart(): void {
    if (this.#search) this.#batches = this.#results(this.#search);
  }

  /** Ends the cursor and frees its memory. Idempotent. */
  close(): void {
    this.#search = undefined;
  }

  /** Yields the rows of the page. */
  *#results(search: Search): Batches {
    const { state, criteria, pace, options, schema } = search;
    const found = yield* findMatches(state.chunks, criteria, pace);
    this.#total = found.reduce((total, { count }) => total + count, 0);
    const [first] = options.orderBy;
    const isById = !first || first.column === schema.identity.column;
    let batch: StoredRow[] = [];
    for (const entries of isById ? byId(found, options) : this.#inOrder(found, first, search)) {
      for (const { row } of entries ?? []) batch.push(row);
      if (batch.length < BATCH && !pace.isOver()) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  *#inOrder(found: readonly ChunkMatches[], first: Required<Order>, search: Search): Listing {
    const { schema, pace, options } = search;
    const key = keyOf(schema, first);
    const others = options.orderBy.slice(1).map((order) => keyOf(schema, order));
    const groups = yield* groupsOf(found, key, pace);
    for (const { item: group, from, to } of pageOf(groups, options.offset, options.limit)) {
      if (group.isTied && others.length === 0) {
        const matches = group.intervals.flatMap((interval) => interval.matches);
        for (const each of pageOf(matches, from, to - from)) {
          yield entriesOf(each.item, each.from, each.to);
        }
        continue;
      }
      const entries = yield* sorted(group, key, others, to, pace);
      for (let at = from; at < to; at += BATCH) {
        yield entries.slice(at, Math.min(to, at + BATCH)).map(({ entry }) => entry);
      }
    }
  }
}

function* byId(
  found: readonly ChunkMatches[],
  { orderBy, offset, limit }: CheckedOptions,
): Listing {
  const isDescending = orderBy.length > 0;
  const inOrder = isDescending ? found.toReversed() : found;
  for (const { item, from, to } of pageOf(inOrder, offset, limit)) {
    yield isDescending
      ? entriesOf(item, item.count - to, item.count - from).toReversed()
      : entriesOf(item, from, to);
  }
}

/** Finds the items that have rows of a page, and the indexes of these rows in each. */
function pageOf<T extends { readonly count: number }>(
  items: Iterable<T>,
  offset: number,
  limit: number,
): readonly { readonly item: T; readonly from: number; readonly to: number }[] {
  const page: { item: T; from: number; to: number }[] = [];
  let [skipped, left] = [offset, limit];
  for (const item of items) {
    if (left === 0) break;
    if (item.count > skipped) {
      const to = Math.min(item.count, skipped + left);
      page.push({ item, from: skipped, to });
      left -= to - skipped;
    }
    skipped = Math.max(0, skipped - item.count);
  }
  return page;
}

import type { Mask } from '../bits.ts';
import type { LeafList } from '../rows/open-snapshots.ts';
import { WORD } from '../schema/byte-size.ts';
import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows } from '../schema/resolved-schema.ts';
import type { Criteria } from './criteria.ts';
import { Listing } from './listing.ts';
import { findMatches } from './matches.ts';
import type { Pace } from './pace.ts';
import type { CheckedOptions } from './search-options.ts';
import type { Batches } from './sort.ts';

/** A search: its leaves, criteria and order. */
export interface SearchPlan {
  readonly criteria: Criteria;
  readonly list: LeafList;
  readonly options: CheckedOptions;
  readonly pace: Pace;
  /** A mask of the leaves, to reuse. */
  readonly mask: Mask;
}

/** Runs a search, step by step: finds all matching rows, and then lists some of them in order. */
export class Execution {
  readonly #plan: SearchPlan;
  readonly #listing: Listing;
  /** The number of matching rows, regardless of limit and offset; undefined before it is known. */
  total: number | undefined;

  constructor(plan: SearchPlan) {
    this.#plan = plan;
    this.#listing = new Listing(plan.list, plan.mask, plan.pace);
  }

  /** Memory held besides the rows, in bytes. */
  get bytes(): number {
    const { criteria, mask, list } = this.#plan;
    return criteria.bytes + mask.byteLength + (list.leaves.length + this.#listing.kept) * WORD;
  }

  *results(): Batches<StoredRow> {
    const { list, criteria, pace, mask, options } = this.#plan;
    this.total = yield* findMatches(list.leaves, criteria, pace, mask);
    if (options.limit > 0 && this.total > options.offset) yield* this.#listing.rows(options);
  }
}

/**
 * Finds the rows of a search in steps, or one after the other if iterated. Until its end, it
 * retains the rows as they were when it was opened.
 */
export class Cursor<S extends Schema> implements Iterable<Row<S>> {
  readonly #pace: Pace;
  /** Undefined after the end of the cursor, which then keeps no rows. */
  #running: { execution: Execution; batches: Batches<StoredRow>; close: () => void } | undefined;
  #total: number | undefined;

  constructor(execution: Execution, pace: Pace, close: () => void) {
    this.#running = { execution, batches: execution.results(), close };
    this.#pace = pace;
  }

  /** Memory held besides the rows, in bytes. */
  get bytes(): number {
    return this.#running?.execution.bytes ?? 0;
  }

  /** At the end: the number of matching rows, regardless of limit and offset. */
  get total(): number | undefined {
    return this.#total;
  }

  /** Searches for a fraction of a millisecond, and returns the rows; undefined if none yet. */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (!this.#running) return { done: true, value: undefined };
    const { execution, batches } = this.#running;
    this.#pace.beginStep();
    const { done, value: rows } = batches.next();
    if (!done) return { done: false, value: rows?.length ? asRows<S>(rows) : undefined };
    this.#total = execution.total;
    this.close();
    return { done: true, value: undefined };
  }

  /** Finds the rows one after the other, however long that takes, and closes the cursor. */
  *[Symbol.iterator](): Generator<Row<S>, void> {
    try {
      for (let step = this.next(); !step.done; step = this.next()) yield* step.value ?? [];
    } finally {
      this.close();
    }
  }

  /** Ends the cursor and frees its memory. Idempotent. */
  close(): void {
    this.#running?.close();
    this.#running = undefined;
  }
}

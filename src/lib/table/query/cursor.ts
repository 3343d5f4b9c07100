import type { Row, Schema } from '../schema/column.ts';
import { asRows } from '../schema/resolved-schema.ts';
import type { Pace } from './pace.ts';
import type { Batches, Search } from './search.ts';

/**
 * Finds the rows of a search in steps, or one after the other if iterated. They are the rows of the
 * state in which it was opened.
 */
export class Cursor<S extends Schema> implements Iterable<Row<S>> {
  readonly #pace: Pace;
  /** Undefined after the end of the cursor, which then keeps no rows. */
  #running: { search: Search; batches: Batches; close: () => void } | undefined;
  #total: number | undefined;

  constructor(search: Search, pace: Pace, close: () => void) {
    this.#running = { search, batches: search.results(), close };
    this.#pace = pace;
  }

  /** Memory held besides the rows, in bytes. */
  get bytes(): number {
    return this.#running?.search.bytes ?? 0;
  }

  /** At the end: the number of matching rows, regardless of limit and offset. */
  get total(): number | undefined {
    return this.#total;
  }

  /** Searches for a fraction of a millisecond, and returns the rows; undefined if none yet. */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (!this.#running) return { done: true, value: undefined };
    const { search, batches } = this.#running;
    this.#pace.beginStep();
    const { done, value: rows } = batches.next();
    if (!done) return { done: false, value: rows?.length ? asRows<S>(rows) : undefined };
    this.#total = search.total;
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

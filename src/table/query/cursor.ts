import { asRows } from '../schema/casts.ts';
import type { Row, Schema } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { Execution } from './execution.ts';
import type { Pace } from './pace.ts';
import type { Batches } from './sort.ts';

/**
 * Iterates over the rows of a search, and finds them as they are pulled, so that a long search can
 * be spread over many turns of the event loop. It shows the rows as they were when it was opened,
 * and retains them in memory until it ends or is closed.
 */
export class Cursor<S extends Schema> implements IterableIterator<Row<S>> {
  readonly #execution: Execution;
  readonly #pace: Pace;
  readonly #close: () => void;
  readonly #batches: Batches<StoredRow>;
  #batch: readonly Row<S>[] = [];
  #next = 0;
  #isDone = false;
  #total: number | undefined;

  /** @param close frees the rows that the cursor retains */
  constructor(execution: Execution, pace: Pace, close: () => void) {
    this.#execution = execution;
    this.#pace = pace;
    this.#close = close;
    this.#batches = execution.results();
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return this.#isDone ? 0 : this.#execution.bytes;
  }

  /**
   * The number of matching rows, regardless of limit and offset. Known only if the options asked
   * for it, and when all rows have been pulled.
   */
  get total(): number | undefined {
    return this.#total;
  }

  /** Finds the next row, however long that takes. */
  next(): IteratorResult<Row<S>, undefined> {
    for (;;) {
      const row = this.#batch[this.#next];
      if (row !== undefined) {
        this.#next++;
        return { done: false, value: row };
      }
      const batch = this.#pull();
      if (!batch) return { done: true, value: undefined };
      this.#batch = batch;
      this.#next = 0;
    }
  }

  /**
   * Searches for a fraction of a millisecond.
   *
   * @returns the rows found, possibly none; undefined when there are no more
   */
  step(): readonly Row<S>[] | undefined {
    if (this.#next === this.#batch.length) return this.#pull();
    const rest = this.#batch.slice(this.#next);
    this.#batch = [];
    this.#next = 0;
    return rest;
  }

  /** Ends the cursor and frees its memory. Idempotent. */
  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#batch = [];
    this.#next = 0;
    this.#close();
  }

  [Symbol.iterator](): this {
    return this;
  }

  #pull(): readonly Row<S>[] | undefined {
    if (this.#isDone) return undefined;
    this.#pace.begin();
    const batch = this.#batches.next();
    if (!batch.done) return asRows<S>(batch.value);
    this.#total = this.#execution.total;
    this.close();
    return undefined;
  }
}

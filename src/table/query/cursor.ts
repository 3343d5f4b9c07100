import { asRows } from '../schema/casts.ts';
import type { Row, Schema } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { Execution } from './execution.ts';
import type { Pace } from './pace.ts';
import type { Batches } from './sort.ts';

/**
 * Rows of one moment, found as they are pulled, so that a long search can be spread over many turns
 * of the event loop. What is written meanwhile does not show. It keeps the rows of its moment in
 * memory until it comes to its end or is closed.
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

  /** @param close frees the rows of its moment */
  constructor(execution: Execution, pace: Pace, close: () => void) {
    this.#execution = execution;
    this.#pace = pace;
    this.#close = close;
    this.#batches = execution.results();
  }

  /** The memory that it takes beside the rows of its moment, in bytes. */
  get bytes(): number {
    return this.#isDone ? 0 : this.#execution.bytes;
  }

  /**
   * How many rows match, whatever limit and offset, if the options asked for that: known when all
   * rows have been pulled.
   */
  get total(): number | undefined {
    return this.#total;
  }

  /** Looks for the next row, however long it takes. */
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
   * Looks for rows for a fraction of a millisecond, and gives those that it has found: perhaps
   * none. Undefined when there are no more.
   */
  step(): readonly Row<S>[] | undefined {
    if (this.#next === this.#batch.length) return this.#pull();
    const rest = this.#batch.slice(this.#next);
    this.#batch = [];
    this.#next = 0;
    return rest;
  }

  /** Gives up what is left. */
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

import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows } from '../schema/row.ts';
import type { Execution } from './execution.ts';
import type { Pace } from './pace.ts';
import type { Batches } from './sort.ts';

/**
 * Finds the rows of a search in steps, which leave turns of the event loop to others; to iterate
 * takes all steps at once. It retains the rows as they were when it was opened until it ends.
 */
export class Cursor<S extends Schema> implements Iterable<Row<S>> {
  readonly #execution: Execution;
  readonly #pace: Pace;
  readonly #close: () => void;
  readonly #batches: Batches<StoredRow>;
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
   * for it, and when all rows have been found.
   */
  get total(): number | undefined {
    return this.#total;
  }

  /** Searches for a fraction of a millisecond, and returns the rows; undefined if none yet. */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (this.#isDone) return { done: true, value: undefined };
    this.#pace.begin();
    const { done, value: rows } = this.#batches.next();
    if (!done) return { done: false, value: rows?.length ? asRows<S>(rows) : undefined };
    this.#total = this.#execution.total;
    this.close();
    return { done: true, value: undefined };
  }

  /** Finds the rows one after the other, however long that takes, and closes the cursor. */
  *[Symbol.iterator](): Generator<Row<S>, void> {
    try {
      for (let step = this.next(); !step.done; step = this.next()) {
        for (const row of step.value ?? []) yield row;
      }
    } finally {
      this.close();
    }
  }

  /** Ends the cursor and frees its memory. Idempotent. */
  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#close();
  }
}

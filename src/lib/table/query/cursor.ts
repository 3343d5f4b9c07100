import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows } from '../schema/resolved-schema.ts';
import type { Execution } from './execution.ts';
import type { Pace } from './pace.ts';
import type { Batches } from './sort.ts';

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

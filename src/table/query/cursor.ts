import { typedRows } from '../schema/casts.ts';
import type { Row, Schema } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';

/**
 * Rows of one moment, found as they are pulled, so that a long search can be spread over many turns
 * of the event loop. What is written meanwhile does not show. Nothing has to be closed.
 */
export class Cursor<S extends Schema> implements IterableIterator<Row<S>> {
  readonly #batches: Iterator<StoredRow[]>;
  #batch: Row<S>[] = [];
  #next = 0;
  readonly bytes = 0;
  readonly total: number | undefined = undefined;

  constructor(batches: Iterator<StoredRow[]>) {
    this.#batches = batches;
  }

  /** Looks for the next row, however long it takes. */
  next(): IteratorResult<Row<S>, undefined> {
    for (;;) {
      const row = this.#batch[this.#next];
      if (row !== undefined) {
        this.#next++;
        return { done: false, value: row };
      }
      const batch = this.#batches.next();
      if (batch.done) return { done: true, value: undefined };
      this.#batch = typedRows<S>(batch.value);
      this.#next = 0;
    }
  }

  /**
   * Looks at some hundred candidates, a fraction of a millisecond of work, and gives the rows among
   * them that match: perhaps none. Undefined when there are no more.
   */
  step(): Row<S>[] | undefined {
    if (this.#next < this.#batch.length) {
      const rest = this.#batch.slice(this.#next);
      this.#batch = [];
      return rest;
    }
    const batch = this.#batches.next();
    return batch.done ? undefined : typedRows<S>(batch.value);
  }

  close(): void {}

  [Symbol.iterator](): this {
    return this;
  }
}

import type { Id, Row, Schema } from '../schema/column.ts';

/** A row that was put, in the place of the one before, if there was one; or that was deleted. */
export type Change<S extends Schema> =
  | { readonly put: Row<S>; readonly before: Row<S> | undefined; readonly deleted?: undefined }
  | { readonly deleted: Row<S>; readonly put?: undefined };

/** Changes in order. Those of a large removal are listed only while they are being read. */
export interface ChangeList<S extends Schema> extends Iterable<Change<S>> {
  readonly length: number;
}

/** The changes of one transaction. Numbers ascend; without gaps, if the table assigns them. */
export interface Commit<S extends Schema> {
  readonly number: number;
  readonly changes: ChangeList<S>;
  /** All rows were replaced at once; `changes` is empty then. */
  readonly isReplacement: boolean;
}

/** A row that another table wrote; `row` is undefined if it was deleted. */
export interface ReplayedRow<S extends Schema> {
  readonly id: Id<S>;
  readonly row: Row<S> | undefined;
}

/** As it is when this module is loaded: tests may replace it later. */
const throwLater = globalThis.queueMicrotask;

/**
 * The commits of a table, delivered to listeners, one after the other. The committer sets the count
 * and the version before anything that may fail, so that rows and version always agree.
 */
export class Commits<S extends Schema> {
  /** How many there were. */
  count = 0;
  /** The number of the last one. */
  version = 0;
  readonly #listeners = new Set<{ readonly call: (commit: Commit<S>) => void }>();
  readonly #waiting: Commit<S>[] = [];
  #delivering = false;

  /** @returns a function that unsubscribes */
  listen(listener: (commit: Commit<S>) => void): () => void {
    const entry = { call: listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /**
   * Calls every listener; for a commit that a listener makes, after all have received this one. An
   * error in a listener must not keep it from others, so it is thrown later, uncaught.
   */
  deliver(number: number, changesOf: () => ChangeList<S>, isReplacement = false): void {
    if (this.#listeners.size === 0) return;
    this.#waiting.push({ number, changes: changesOf(), isReplacement });
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      for (const { call } of this.#listeners) {
        try {
          call(next);
        } catch (error) {
          throwLater(() => {
            throw error;
          });
        }
      }
    }
    this.#delivering = false;
  }
}

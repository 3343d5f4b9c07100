import type { Row, Schema } from '../schema/column.ts';

/** A row was put (inserted, or updated, then `before` is what it replaced) or deleted. */
export type Change<S extends Schema> =
  | { readonly put: Row<S>; readonly before: Row<S> | undefined; readonly deleted?: undefined }
  | { readonly deleted: Row<S>; readonly put?: undefined };

/**
 * All that one transaction did, in the order in which it did it. Numbers ascend; those that a table
 * gives itself have no gaps.
 */
export interface Commit<S extends Schema> {
  readonly number: number;
  readonly changes: readonly Change<S>[];
  /** All rows were replaced by others at once, which `changes` does not list. */
  readonly isReplacement: boolean;
}

/** Those who are told of the commits of a table, one after the other. */
export class CommitListeners<S extends Schema> {
  readonly #listeners = new Set<{ readonly call: (commit: Commit<S>) => void }>();
  readonly #waiting: Commit<S>[] = [];
  #delivering = false;

  get any(): boolean {
    return this.#listeners.size > 0;
  }

  /** @returns ends it */
  add(listener: (commit: Commit<S>) => void): () => void {
    const entry = { call: listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /**
   * Calls every listener. A commit that a listener makes waits until all have seen this one. An
   * error of a listener cannot undo what is committed, nor may it keep others from hearing of it,
   * so it surfaces by itself, as an uncaught exception.
   */
  deliver(commit: Commit<S>): void {
    this.#waiting.push(commit);
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      for (const listener of this.#listeners) surfaceErrors(listener.call, next);
    }
    this.#delivering = false;
  }
}

function surfaceErrors<T>(call: (value: T) => void, value: T): void {
  try {
    call(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

import type { Synchronous, Table } from '../../table/table.ts';
import type { ItemFields } from '../item-api.ts';
import { runId } from './run-id.ts';

/** Runs operations on items. Each returns its result, or a promise of it if it has to wait. */
export interface Store {
  /**
   * Runs work that only reads, and sees all writes acknowledged before.
   * @throws what the work throws, or a Problem of the store
   */
  read<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Runs work as a transaction; if it throws, it leaves no trace. The work may run more than once,
   * but its effect shows once.
   * @param respond makes the response from the result, when it is stored; gets the number of the
   * commit
   * @throws what the work throws, or a Problem of the store
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): R | Promise<R>;
  /**
   * Distinguishes this history of commits from all others: no two of them ever have the same number
   * and the same history.
   */
  readonly history: string;
}

/** The items of this process: nothing has to wait. */
export class MemoryStore implements Store {
  readonly history = runId();
  readonly #table: Table<ItemFields>;

  constructor(table: Table<ItemFields>) {
    this.#table = table;
  }

  read<T>(work: () => T): T {
    return work();
  }

  write<T extends Synchronous, R>(work: () => T, respond: (result: T, number: number) => R): R {
    const result = this.#table.transaction(work);
    return respond(result, this.#table.version);
  }
}

import type { Synchronous } from '../table/table.ts';
import type { Todos } from './todos.ts';

/**
 * Where operations on items run. Each gives its result, or a promise of it where something has to
 * be waited for.
 */
export interface Store {
  /**
   * Runs work that only reads, and sees all that had been acknowledged before.
   * @throws what the work throws, or a Problem of the store
   */
  read<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Runs work as a transaction, up to its response; whatever is thrown on the way leaves no trace.
   * The work may be run more than once, but what it has done shows once.
   * @throws what the work throws, or a Problem of the store
   */
  write<T extends Synchronous>(work: () => T): T | Promise<T>;
}

/** The items of this process: nothing has to be waited for. */
export class MemoryStore implements Store {
  readonly #todos: Todos;

  constructor(todos: Todos) {
    this.#todos = todos;
  }

  read<T>(work: () => T): T {
    return work();
  }

  write<T extends Synchronous>(work: () => T): T {
    return this.#todos.transaction(work);
  }
}

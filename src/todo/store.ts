import type { Synchronous } from '../table/table.ts';
import { runId } from './run-id.ts';
import type { Todos } from './todos.ts';

/** Runs operations on items. Each returns its result, or a promise of it if it has to wait. */
export interface Store {
  /**
   * Runs work that only reads, and sees all writes acknowledged before.
   * @throws what the work throws, or a Problem of the store
   */
  read<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Runs work as a transaction, including its response; if it throws, it leaves no trace. The work
   * may run more than once, but its effect shows once.
   * @throws what the work throws, or a Problem of the store
   */
  write<T extends Synchronous>(work: () => T): T | Promise<T>;
  /** Identifies the current state of the list among all states that it ever has. */
  readonly stateId: string;
}

/** The items of this process: nothing has to wait. */
export class MemoryStore implements Store {
  readonly #todos: Todos;
  /** A state of one run never equals a state of another. */
  readonly #run = runId();

  constructor(todos: Todos) {
    this.#todos = todos;
  }

  get stateId(): string {
    return `${this.#run}.${this.#todos.version}`;
  }

  read<T>(work: () => T): T {
    return work();
  }

  write<T extends Synchronous>(work: () => T): T {
    return this.#todos.transaction(work);
  }
}

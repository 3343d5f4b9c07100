import type { Id } from '../../table/schema/column.ts';
import type { TodoFields } from '../fields.ts';
import type { Store } from './store.ts';
import type { Todos } from './todos.ts';

/**
 * The strong entity tags of items and lists (contract: "Conditional requests"). A tag says which
 * write made what is shown, not what that is: it names a history of commits, and the number of one
 * of them.
 */
export class EntityTags {
  readonly #store: Store;
  readonly #todos: Todos;

  constructor(store: Store, todos: Todos) {
    this.#store = store;
    this.#todos = todos;
  }

  /** The tag of an item as it was last written; undefined if there is no such item. */
  ofItem(id: Id<TodoFields>): string | undefined {
    const number = this.#todos.revisionOf(id);
    return number === undefined ? undefined : this.ofCommit(number);
  }

  /** The tag of an item that a commit has written. */
  ofCommit(number: number): string {
    return `"${this.#store.history}.${number}"`;
  }

  /**
   * The tag of a list now.
   * @param query stands for what the list is of; empty for all items
   */
  ofList(query: string): string {
    const number = this.#todos.version;
    return query === '' ? this.ofCommit(number) : `"${this.#store.history}.${number}.${query}"`;
  }
}

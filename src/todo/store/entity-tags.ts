import type { Table } from '../../table/table.ts';
import type { ItemFields } from '../item-api.ts';
import type { ItemId } from './items.ts';
import type { Store } from './store.ts';

/**
 * The strong entity tags of items and lists (api.md: "Conditional requests"). A tag says which
 * write made what is shown, not what that is: it names a history of commits, and the number of one
 * of them.
 */
export class EntityTags {
  readonly #store: Store;
  readonly #table: Table<ItemFields>;

  constructor(store: Store, table: Table<ItemFields>) {
    this.#store = store;
    this.#table = table;
  }

  /** The tag of an item as it was last written; undefined if there is no such item. */
  ofItem(id: ItemId): string | undefined {
    const number = this.#table.revisionOf(id);
    return number === undefined ? undefined : this.ofCommit(number);
  }

  /** The tag of an item that a commit has written. */
  ofCommit(number: number): string {
    return this.#tag(number, '');
  }

  /**
   * The tag of a list now.
   * @param query stands for what the list is of; empty for all items
   */
  ofList(query: string): string {
    return this.#tag(this.#table.version, query === '' ? '' : `.${query}`);
  }

  #tag(number: number, query: string): string {
    const { representation } = this.#store;
    return `"${this.#store.historyOf(number)}${representation}.${number}${query}"`;
  }
}

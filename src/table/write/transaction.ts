import type { IndexSet } from '../indexes/index-set.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { type RowStore, rowAt } from '../storage/row-store.ts';

/** A slot that was written, and what undoes and what repeats it. */
export interface Write {
  readonly slot: number;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
}

/**
 * Writes rows, and the indexes with them, in transactions: what a transaction has written is
 * undone, back to front, when it fails. Every step of a write can be undone before it was done, and
 * undone twice, so that it does not matter at which of them a failure comes.
 */
export class Writer {
  readonly #store: RowStore;
  readonly #indexes: IndexSet;
  readonly #committed: (writes: readonly Write[]) => void;
  #writes: Write[] = [];
  #depth = 0;
  #nextSlot = 0;

  /** @param committed is told of what each transaction wrote, unless that is nothing */
  constructor(store: RowStore, indexes: IndexSet, committed: (writes: readonly Write[]) => void) {
    this.#store = store;
    this.#indexes = indexes;
    this.#committed = committed;
  }

  /** The slot that the next new row gets. */
  get nextSlot(): number {
    return this.#nextSlot;
  }

  /** Puts a row into a new slot. To be called in a transaction. */
  append(row: StoredRow): void {
    this.put(this.#nextSlot++, row);
  }

  /** Puts a row into a slot, or takes it out. To be called in a transaction. */
  put(slot: number, after: StoredRow | undefined): void {
    const before = rowAt(this.#store, slot);
    this.#writes.push({ slot, before, after });
    this.#store.set(slot, after);
    this.#indexes.replace(slot, before, after);
  }

  /** Runs a transaction. Within another one, it is a part of that, which can be undone by itself. */
  transaction<T>(work: () => T): T {
    const firstWrite = this.#writes.length;
    const firstSlot = this.#nextSlot;
    this.#depth++;
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#undo(firstWrite);
      this.#nextSlot = firstSlot;
      throw error;
    } finally {
      this.#depth--;
    }
    if (this.#depth === 0 && this.#writes.length > 0) {
      const writes = this.#writes;
      this.#writes = [];
      this.#committed(writes);
    }
    return result;
  }

  #undo(firstWrite: number): void {
    for (const { slot, before, after } of this.#writes.splice(firstWrite).reverse()) {
      this.#store.set(slot, before);
      this.#indexes.replace(slot, after, before);
    }
  }
}

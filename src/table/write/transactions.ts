import type { StoredRow } from '../schema/stored-row.ts';
import { rowAt } from '../storage/row-store.ts';
import type { TableData } from './table-data.ts';

/**
 * A write to one slot, with the rows before and after it, so that it can be undone and repeated.
 */
export interface RowWrite {
  readonly slot: number;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
}

/**
 * Runs transactions, and undoes their writes in reverse order when they fail. Undoing is
 * idempotent, and works even for steps of a write that have not run. So a transaction can be
 * undone whichever step has failed.
 */
export class Transactions {
  readonly #committed: (writes: readonly RowWrite[], number?: number) => void;
  #data: TableData;
  #writes: RowWrite[] = [];
  #depth = 0;

  /** @param committed called with the writes of each transaction that has written anything */
  constructor(data: TableData, committed: (writes: readonly RowWrite[], number?: number) => void) {
    this.#data = data;
    this.#committed = committed;
  }

  /** Whether a transaction is running. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** Directs further writes to other data. Must not be called in a transaction. */
  switchTo(data: TableData): void {
    this.#data = data;
  }

  /** Inserts a row into the next slot. Must be called in a transaction. */
  append(row: StoredRow): void {
    this.put(this.#data.nextSlot++, row);
  }

  /**
   * Puts a row into a slot, or deletes the row if `after` is undefined. Must be called in a
   * transaction.
   */
  put(slot: number, after: StoredRow | undefined): void {
    const before = rowAt(this.#data.rows, slot);
    this.#writes.push({ slot, before, after });
    this.#data.replace(slot, before, after);
  }

  /** Deletes the rows of some slots. Must be called in a transaction. */
  deleteAll(slots: readonly number[], rows: readonly StoredRow[]): void {
    for (let i = 0; i < slots.length; i++) {
      this.#writes.push({ slot: slots[i] ?? 0, before: rows[i], after: undefined });
    }
    this.#data.deleteAll(slots, rows);
  }

  /**
   * Runs a transaction. A nested transaction is part of the outer one, but can be undone on its
   * own.
   *
   * @param number the number of the commit; by default, the version of the table
   */
  run<T>(work: () => T, number?: number): T {
    const firstWrite = this.#writes.length;
    const firstSlot = this.#data.nextSlot;
    this.#depth++;
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#undo(firstWrite);
      this.#data.nextSlot = firstSlot;
      throw error;
    } finally {
      this.#depth--;
    }
    if (this.#depth === 0 && this.#writes.length > 0) {
      const writes = this.#writes;
      this.#writes = [];
      this.#committed(writes, number);
    }
    return result;
  }

  /** Runs work as a transaction, and always undoes it. */
  rehearse<T>(work: () => T): T {
    const firstWrite = this.#writes.length;
    const firstSlot = this.#data.nextSlot;
    this.#depth++;
    try {
      return work();
    } finally {
      this.#undo(firstWrite);
      this.#data.nextSlot = firstSlot;
      this.#depth--;
    }
  }

  /** The writes of the running transaction, without the first `count`. */
  writtenAfter(count: number): readonly RowWrite[] {
    return this.#writes.slice(count);
  }

  #undo(firstWrite: number): void {
    for (const { slot, before, after } of this.#writes.splice(firstWrite).reverse()) {
      this.#data.replace(slot, after, before);
    }
  }
}

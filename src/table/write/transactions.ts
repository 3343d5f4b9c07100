import type { StoredRow } from '../schema/stored-row.ts';
import { rowAt } from '../storage/row-store.ts';
import type { TableData } from './table-data.ts';

/** A slot that was written: what undoes the write, and what repeats it. */
export interface RowWrite {
  readonly slot: number;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
}

/**
 * Writes rows in transactions: what a transaction has written is undone, back to front, when it
 * fails. Every step of a write can be undone before it was done, and undone twice, so that it does
 * not matter at which of them a failure comes.
 */
export class Transactions {
  readonly #committed: (writes: readonly RowWrite[], number?: number) => void;
  #data: TableData;
  #writes: RowWrite[] = [];
  #depth = 0;

  /** @param committed is told of what each transaction wrote, unless that is nothing */
  constructor(data: TableData, committed: (writes: readonly RowWrite[], number?: number) => void) {
    this.#data = data;
    this.#committed = committed;
  }

  /** Whether one is running. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** Writes to other data from now on. Must not be called within a transaction. */
  switchTo(data: TableData): void {
    this.#data = data;
  }

  /** Puts a row into the next new slot. To be called in a transaction. */
  append(row: StoredRow): void {
    this.put(this.#data.nextSlot++, row);
  }

  /** Puts a row into a slot, or takes it out. To be called in a transaction. */
  put(slot: number, after: StoredRow | undefined): void {
    const before = rowAt(this.#data.rows, slot);
    this.#writes.push({ slot, before, after });
    this.#data.replace(slot, before, after);
  }

  /**
   * Runs a transaction. Within another one, it is a part of that, which can be undone by itself.
   *
   * @param number what the commit is to be known by, if that is not the table's own count
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

  /** Runs work like a transaction, and undoes it, whatever becomes of it. */
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

  /** What has been written in the transaction that is running, after so many writes. */
  writtenAfter(count: number): readonly RowWrite[] {
    return this.#writes.slice(count);
  }

  #undo(firstWrite: number): void {
    for (const { slot, before, after } of this.#writes.splice(firstWrite).reverse()) {
      this.#data.replace(slot, after, before);
    }
  }
}

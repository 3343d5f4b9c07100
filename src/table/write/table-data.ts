import { TableFullError } from '../errors.ts';
import { IndexSet } from '../indexes/index-set.ts';
import type { Value } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import { newRow } from '../schema/row.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { RowStore, rowAt } from '../storage/row-store.ts';
import type { Limits } from './limits.ts';

/**
 * The rows of a table with their indexes, and the next slot. A replacement of all rows fills
 * another instance, which the table then switches to.
 */
export class TableData {
  readonly rows: RowStore;
  readonly indexes: IndexSet;
  /** The slot of the next inserted row. */
  nextSlot = 0;
  readonly #layout: Layout;
  readonly #limits: Limits;

  constructor(layout: Layout, limits: Limits) {
    this.#layout = layout;
    this.#limits = limits;
    this.rows = new RowStore(layout.foldedColumns);
    this.indexes = new IndexSet(layout, this.rows);
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.rows.totalBytes + this.indexes.totalBytes;
  }

  /**
   * Whether to index pending rows even while rows are being written: because searches of pending
   * rows are costly, or because the bytes reserved for them could soon fill the table.
   */
  get isIndexingUrgent(): boolean {
    return this.indexes.isUrgent || this.bytes > this.#limits.maxBytes / 2;
  }

  /**
   * Makes a row for the next slot, without storing it.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when the table has its maximum number of rows
   * @throws IdsExhaustedError when the last id has been assigned
   */
  newRow(values: object): StoredRow {
    const { maxRows } = this.#limits;
    if (this.rows.size >= maxRows) throw new TableFullError('rows', maxRows);
    return newRow(this.#layout, this.#layout.identity.idAt(this.nextSlot), values);
  }

  /**
   * Stores a row of another table with the id that it has there.
   *
   * @throws ColumnError when a value does not fit its column
   */
  put(id: Value, values: object): void {
    const slot = this.#layout.identity.slotOf(id);
    this.replace(slot, rowAt(this.rows, slot), newRow(this.#layout, id, values));
  }

  /** Replaces the row of a slot. Idempotent. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    this.rows.set(slot, after);
    this.indexes.replace(slot, before, after);
  }

  /** Deletes the rows of some slots, all of which have one. Idempotent. */
  deleteAll(slots: readonly number[], rows: readonly StoredRow[]): void {
    this.rows.deleteAll(slots);
    this.indexes.deleteAll(slots, rows);
  }
}

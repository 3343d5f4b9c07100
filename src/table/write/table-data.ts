import { TableFullError } from '../errors.ts';
import { IndexSet } from '../indexes/index-set.ts';
import type { Value } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import { newRow } from '../schema/row.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { RowStore, rowAt } from '../storage/row-store.ts';
import type { Limits } from './limits.ts';

/** Rows with their indexes, and ids that begin with the first. A table has one at a time. */
export class TableData {
  readonly rows: RowStore;
  readonly indexes: IndexSet;
  /** The slot that the next new row gets. */
  nextSlot = 0;
  readonly #layout: Layout;
  readonly #limits: Limits;

  constructor(layout: Layout, limits: Limits) {
    this.#layout = layout;
    this.#limits = limits;
    this.rows = new RowStore(layout.foldedColumns);
    this.indexes = new IndexSet(layout, this.rows);
  }

  /** The memory that it takes, in bytes. */
  get bytes(): number {
    return this.rows.totalBytes + this.indexes.totalBytes;
  }

  /**
   * Whether pending rows should be indexed though somebody is writing: searches suffer from them,
   * or what is reserved for them might soon keep others out.
   */
  get isIndexingUrgent(): boolean {
    return this.indexes.isUrgent || this.bytes > this.#limits.maxBytes / 2;
  }

  /**
   * Makes a row of values for the next new slot.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when there are as many rows as there may be
   * @throws IdsExhaustedError when the last id has been given
   */
  newRow(values: object): StoredRow {
    const { maxRows } = this.#limits;
    if (this.rows.size >= maxRows) throw new TableFullError('rows', maxRows);
    return newRow(this.#layout, this.#layout.identity.idAt(this.nextSlot), values);
  }

  /**
   * Puts a row that another table has made under the id that it has there.
   *
   * @throws ColumnError when a value does not fit its column
   */
  put(id: Value, values: object): void {
    const slot = this.#layout.identity.slotOf(id);
    this.replace(slot, rowAt(this.rows, slot), newRow(this.#layout, id, values));
  }

  /** Puts a slot's row in the place of another one. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    this.rows.set(slot, after);
    this.indexes.replace(slot, before, after);
  }
}

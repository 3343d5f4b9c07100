import { TableFullError } from '../errors.ts';
import { PageList, pageOf } from '../pages/page-list.ts';
import { bytesOfRow, growthOf } from '../schema/byte-size.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/** A row, and the number of the commit that wrote it. */
export interface WrittenRow {
  readonly row: StoredRow;
  readonly revision: number;
}

/**
 * The pages of a table, and the next slot. A replacement of all rows fills another instance, which
 * the table then switches to.
 */
export class TableData {
  readonly pages: PageList;
  /** The slot of the next inserted row. */
  nextSlot = 0;
  /** The number of the commit with which the table switched to these pages. */
  firstRevision = 0;
  readonly #schema: ResolvedSchema;
  readonly #limits: Limits;

  constructor(schema: ResolvedSchema, limits: Limits) {
    this.#schema = schema;
    this.#limits = limits;
    this.pages = new PageList(schema, limits);
  }

  /** Returns the row of a slot. */
  rowAt(slot: number): StoredRow | undefined {
    return pageOf(this.pages, slot)?.rowOf(slot);
  }

  /** Returns the row of a slot with the number of the commit that wrote it. */
  writtenAt(slot: number): WrittenRow | undefined {
    const page = pageOf(this.pages, slot);
    const at = page?.positionOf(slot) ?? -1;
    const row = at < 0 ? undefined : page?.rows[at];
    return row && { row, revision: page?.revisionAt(at) || this.firstRevision };
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
    if (this.pages.size >= maxRows) throw new TableFullError('rows', maxRows);
    return newRow(this.#schema, this.#schema.identity.idAt(this.nextSlot), values);
  }

  /**
   * Checks that there is room to put a row into a slot, or that it replaces one no smaller.
   *
   * @throws TableFullError if there is not
   */
  checkRoom(slot: number, after: StoredRow): void {
    const { maxBytes } = this.#limits;
    if (maxBytes === Number.POSITIVE_INFINITY) return;
    const before = this.rowAt(slot);
    const schema = this.#schema;
    const growth = before ? growthOf(schema, before, after) : bytesOfRow(schema, after);
    if (growth <= 0) return;
    if (this.pages.bytes + growth + this.pages.bytesToPut(slot) > maxBytes) {
      throw new TableFullError('bytes', maxBytes);
    }
  }

  /** Stores a row of another table with the id and revision that it has there, or deletes it. */
  put(id: Value, values: object | undefined, revision: number): void {
    const slot = this.#schema.identity.slotOf(id);
    this.pages.put(slot, values && newRow(this.#schema, id, values), revision);
  }
}

import { TableFullError } from '../errors.ts';
import { type Located, locate, PageList, type PageSwap } from '../pages/page-list.ts';
import { bytesOfRow, growthOf } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import { newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/** The pages of a table, and the next slot. A replacement of all rows fills another instance. */
export class TableData {
  readonly limits: Limits;
  pages: PageList;
  /** The slot of the next inserted row. */
  nextSlot = 0;
  /** The number of the commit with which the table switched to these pages. */
  #firstRevision = 0;

  constructor(schema: ResolvedSchema, limits: Limits) {
    this.limits = limits;
    this.pages = new PageList(schema, limits);
  }

  /** Switches to the pages of a replacement, in a commit of a number. */
  replaceBy({ pages, nextSlot }: TableData, number: number): void {
    pages.supersede(this.pages);
    this.pages = pages;
    this.nextSlot = nextSlot;
    this.#firstRevision = number;
  }

  /** Looks up the row with an id. */
  find(id: unknown): Located {
    return locate(this.pages, this.pages.schema.identity.slotOf(id));
  }

  /** Returns the number of the commit that wrote a row. */
  revisionOf({ page, at }: Located): number {
    return page?.revisionAt(at) || this.#firstRevision;
  }

  /**
   * Makes a row for the next slot, without storing it.
   * @throws ColumnError, TableFullError if there are too many rows, IdsExhaustedError
   */
  newRow(values: object): StoredRow {
    const { maxRows } = this.limits;
    if (this.pages.size >= maxRows) throw new TableFullError('rows', maxRows);
    const { schema } = this.pages;
    return newRow(schema, schema.identity.idAt(this.nextSlot), values);
  }

  /** @throws TableFullError without room to put a row somewhere, unless it is no larger there */
  checkRoom(located: Located, after: StoredRow): void {
    const { schema } = this.pages;
    const { maxBytes } = this.limits;
    if (maxBytes === Number.POSITIVE_INFINITY) return;
    const { row } = located;
    const growth = row ? growthOf(schema, row, after) : bytesOfRow(schema, after);
    if (growth <= 0) return;
    if (this.pages.bytes + growth + this.pages.bytesToPut(located) > maxBytes) {
      throw new TableFullError('bytes', maxBytes);
    }
  }

  /** @throws TableFullError without room for pages in the place of others, if rows grow */
  checkRoomForPages(swaps: readonly PageSwap[]): void {
    let [rowGrowth, growth] = [0, 0];
    for (const swap of swaps) {
      rowGrowth += swap.newer.rowBytes - swap.page.rowBytes;
      growth += this.pages.bytesToSwap(swap);
    }
    const { maxBytes } = this.limits;
    if (rowGrowth > 0 && this.pages.bytes + growth > maxBytes) {
      throw new TableFullError('bytes', maxBytes);
    }
  }
}

import { TableFullError, UncommittedError } from '../errors.ts';
import { type Located, locate, PageList, type PageSwap } from '../pages/page-list.ts';
import { bytesOfRow, growthOf } from '../schema/byte-size.ts';
import type { Id, Row, Schema, StoredRow } from '../schema/column.ts';
import { asRow, newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';
import type { FoundRow } from '../table-types.ts';

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/** How many transactions are running, and which commit was the last one. */
interface Progress {
  readonly depth: number;
  readonly commits: { readonly version: number };
}

/** A row with the place where it was found. */
class LocatedRow<S extends Schema> implements FoundRow<S> {
  readonly row: Row<S>;
  readonly located: Located;
  readonly #revision: number;
  readonly #progress: Progress;

  constructor(row: StoredRow, located: Located, revision: number, progress: Progress) {
    this.row = asRow<S>(row);
    this.located = located;
    this.#revision = revision;
    this.#progress = progress;
  }

  get revision(): number {
    const { depth, commits } = this.#progress;
    if (depth > 0 && this.#revision > commits.version) throw new UncommittedError();
    return this.#revision;
  }
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

  /** Looks up the row with an id, or one that was found before: again only if it has moved. */
  find(target: unknown): Located {
    const { identity } = this.pages.schema;
    const found = target instanceof LocatedRow ? target.located : undefined;
    if (found && this.pages.has(found)) return found;
    const id = found ? found.row?.[identity.column] : target;
    return locate(this.pages, identity.slotOf(id));
  }

  /** Looks up the row with an id, for callers. */
  found<S extends Schema>(id: Id<S>, progress: Progress): FoundRow<S> | undefined {
    const located = this.find(id);
    const { row } = located;
    return row && new LocatedRow<S>(row, located, this.revisionOf(located), progress);
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

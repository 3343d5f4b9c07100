import { bytesOfArray, bytesOfRow, bytesOfValue } from './bytes.ts';
import type { StoredRow } from './layout.ts';

/** Rows per page. */
export const PAGE_SIZE = 512;

/**
 * Rows of neighbouring slots, and beside them the folded text of each column that keeps it: null
 * where the text is null.
 */
export class Page {
  /** The epoch that may write to this page; a later one copies it first. */
  readonly epoch: number;
  readonly rows: (StoredRow | undefined)[];
  readonly folded: readonly (string | null)[][];
  live = 0;
  /** The memory that the rows take, from when it is counted until the page changes. */
  #bytes: number | undefined;

  constructor(epoch: number, rows: Page['rows'], folded: Page['folded']) {
    this.epoch = epoch;
    this.rows = rows;
    this.folded = folded;
  }

  static empty(epoch: number, foldedColumns: number): Page {
    return new Page(
      epoch,
      new Array(PAGE_SIZE).fill(undefined),
      Array.from({ length: foldedColumns }, () => new Array(PAGE_SIZE).fill(null)),
    );
  }

  /** Puts a row into a place, or takes it out, and its folded texts with it. */
  set(at: number, row: StoredRow | undefined, texts: readonly (string | null)[]): void {
    this.live += (row ? 1 : 0) - (this.rows[at] ? 1 : 0);
    this.rows[at] = row;
    for (let i = 0; i < this.folded.length; i++) {
      const column = this.folded[i];
      if (column) column[at] = texts[i] ?? null;
    }
    this.#bytes = undefined;
  }

  /** The bytes that the page and its rows take, counting a folded text only where it differs. */
  bytes(foldedColumns: readonly string[]): number {
    this.#bytes ??= this.#count(foldedColumns);
    return this.#bytes;
  }

  #count(foldedColumns: readonly string[]): number {
    let bytes = (1 + this.folded.length) * bytesOfArray(PAGE_SIZE);
    for (const [at, row] of this.rows.entries()) {
      if (!row) continue;
      bytes += bytesOfRow(row);
      for (const [i, column] of foldedColumns.entries()) {
        const folded = this.folded[i]?.[at] ?? null;
        if (folded !== row[column]) bytes += bytesOfValue(folded);
      }
    }
    return bytes;
  }

  copy(epoch: number): Page {
    const copy = new Page(
      epoch,
      this.rows.slice(),
      this.folded.map((texts) => texts.slice()),
    );
    copy.live = this.live;
    return copy;
  }
}

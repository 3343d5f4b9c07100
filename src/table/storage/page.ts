import type { StoredRow } from '../schema/stored-row.ts';
import { fold } from '../text/case-folding.ts';
import { bytesOfArray, bytesOfRow, bytesOfValue } from './byte-size.ts';

/** Rows per page. */
export const PAGE_SIZE = 512;

/** Rows of neighbouring slots, and beside them the folded text of each column that keeps it. */
export class Page {
  /** The epoch that may write to this page; a later one copies it first. */
  readonly epoch: number;
  readonly rows: (StoredRow | undefined)[];
  live = 0;
  readonly #foldedColumns: readonly string[];
  /** For each of these columns, the folded texts; null where there is none, or none yet. */
  readonly #folded: readonly (string | null)[][];
  /** The memory that the rows take, from when it is counted until the page changes. */
  #bytes: number | undefined;

  private constructor(
    epoch: number,
    rows: Page['rows'],
    foldedColumns: readonly string[],
    folded: readonly (string | null)[][],
  ) {
    this.epoch = epoch;
    this.rows = rows;
    this.#foldedColumns = foldedColumns;
    this.#folded = folded;
  }

  /** @param foldedColumns columns whose text is kept folded, from when it is first asked for */
  static empty(epoch: number, foldedColumns: readonly string[]): Page {
    return new Page(
      epoch,
      new Array(PAGE_SIZE).fill(undefined),
      foldedColumns,
      foldedColumns.map(() => new Array(PAGE_SIZE).fill(null)),
    );
  }

  /** Puts a row into a place, or takes it out. A text that stays the same stays folded. */
  set(at: number, row: StoredRow | undefined): void {
    const before = this.rows[at];
    this.live += (row ? 1 : 0) - (before ? 1 : 0);
    this.rows[at] = row;
    if (before) this.#forgetFolded(at, row, before);
    this.#bytes = undefined;
  }

  #forgetFolded(at: number, row: StoredRow | undefined, before: StoredRow): void {
    for (let i = 0; i < this.#folded.length; i++) {
      const column = this.#foldedColumns[i] ?? '';
      const texts = this.#folded[i];
      if (texts && (!row || row[column] !== before[column])) texts[at] = null;
    }
  }

  /** The folded text in a place, of a column given by its position; null where there is no text. */
  folded(position: number, at: number): string | null {
    return this.#folded[position]?.[at] ?? this.#fold(position, at);
  }

  #fold(position: number, at: number): string | null {
    const text = this.rows[at]?.[this.#foldedColumns[position] ?? ''];
    const texts = this.#folded[position];
    if (typeof text !== 'string' || !texts) return null;
    const folded = fold(text);
    texts[at] = folded;
    this.#bytes = undefined;
    return folded;
  }

  /** The bytes that the page and its rows take, counting a folded text only where it differs. */
  get bytes(): number {
    this.#bytes ??= this.#count();
    return this.#bytes;
  }

  #count(): number {
    let bytes = (1 + this.#folded.length) * bytesOfArray(PAGE_SIZE);
    for (const [at, row] of this.rows.entries()) {
      if (!row) continue;
      bytes += bytesOfRow(row);
      for (const [i, column] of this.#foldedColumns.entries()) {
        const folded = this.#folded[i]?.[at] ?? null;
        if (folded !== row[column]) bytes += bytesOfValue(folded);
      }
    }
    return bytes;
  }

  copy(epoch: number): Page {
    const copy = new Page(
      epoch,
      this.rows.slice(),
      this.#foldedColumns,
      this.#folded.map((texts) => texts.slice()),
    );
    copy.live = this.live;
    return copy;
  }
}

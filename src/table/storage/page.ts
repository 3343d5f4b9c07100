import type { Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { fold } from '../text/case-folding.ts';
import { bytesOfArray, bytesOfRow, bytesOfValue, growthOf } from './byte-size.ts';

/** Rows per page. */
export const PAGE_SIZE = 512;

/** What a page takes beside its arrays, in bytes. */
const PAGE_HEADER = 128;

/** A row and what is kept beside it, in bytes. */
export interface RowBytes {
  readonly row: number;
  readonly texts: number;
}

const NO_BYTES: RowBytes = { row: 0, texts: 0 };

/** Rows of neighbouring slots, and beside them the folded text of each column that keeps it. */
export class Page {
  /** The epoch that wrote the page; whoever writes while a snapshot sees it copies it first. */
  readonly epoch: number;
  readonly rows: (StoredRow | undefined)[];
  live = 0;
  readonly #foldedColumns: readonly string[];
  /** For each of these columns, the folded texts; null where there is none. */
  readonly #folded: readonly (string | null)[][];
  /** The epochs in which rows were written, where that is not the page's: this is a copy. */
  #epochs: Float64Array | undefined;

  private constructor(
    epoch: number,
    rows: Page['rows'],
    foldedColumns: readonly string[],
    folded: readonly (string | null)[][],
    epochs?: Float64Array,
  ) {
    this.epoch = epoch;
    this.rows = rows;
    this.#foldedColumns = foldedColumns;
    this.#folded = folded;
    this.#epochs = epochs;
  }

  /** @param foldedColumns columns whose text is kept folded beside the row */
  static empty(epoch: number, foldedColumns: readonly string[]): Page {
    return new Page(
      epoch,
      new Array(PAGE_SIZE).fill(undefined),
      foldedColumns,
      foldedColumns.map(() => new Array(PAGE_SIZE).fill(null)),
    );
  }

  /**
   * Puts a row into a place, or takes it out. A text that stays the same stays folded.
   *
   * @returns the bytes by which row and texts take more than before
   */
  set(at: number, row: StoredRow | undefined): RowBytes {
    const before = this.rows[at];
    this.live += (row ? 1 : 0) - (before ? 1 : 0);
    this.rows[at] = row;
    if (this.#epochs) this.#epochs[at] = this.epoch;
    let texts = 0;
    for (let i = 0; i < this.#folded.length; i++) {
      const column = this.#foldedColumns[i] ?? '';
      const text = row?.[column];
      const folded = this.#folded[i];
      if (!folded || (before && text === before[column])) continue;
      texts -= bytesOfFolded(folded[at], before?.[column]);
      folded[at] = typeof text === 'string' ? fold(text) : null;
      texts += bytesOfFolded(folded[at], text);
    }
    return { row: growthOf(before, row), texts };
  }

  /** The folded text in a place, of a column given by its position; null where there is no text. */
  folded(position: number, at: number): string | null {
    return this.#folded[position]?.[at] ?? null;
  }

  /** The epoch in which the row in a place was written. */
  writeEpoch(at: number): number {
    return this.#epochs?.[at] ?? this.epoch;
  }

  /** The bytes of the row in a place, with those folded texts that are not the texts themselves. */
  bytesAt(at: number): RowBytes {
    const row = this.rows[at];
    if (!row) return NO_BYTES;
    let texts = 0;
    for (let i = 0; i < this.#folded.length; i++) {
      texts += bytesOfFolded(this.#folded[i]?.[at], row[this.#foldedColumns[i] ?? '']);
    }
    return { row: bytesOfRow(row), texts };
  }

  /** The bytes of the page itself, without rows and texts. */
  get bytes(): number {
    const arrays = 1 + this.#folded.length;
    return PAGE_HEADER + arrays * bytesOfArray(PAGE_SIZE) + (this.#epochs?.byteLength ?? 0);
  }

  /**
   * To be called where no snapshot is open: then the page's epoch will do for all its rows.
   *
   * @returns the bytes that it takes less
   */
  forgetEpochs(): number {
    const bytes = this.#epochs?.byteLength ?? 0;
    this.#epochs = undefined;
    return bytes;
  }

  copy(epoch: number): Page {
    const copy = new Page(
      epoch,
      this.rows.slice(),
      this.#foldedColumns,
      this.#folded.map((texts) => texts.slice()),
      this.#epochs?.slice() ?? new Float64Array(PAGE_SIZE).fill(this.epoch),
    );
    copy.live = this.live;
    return copy;
  }
}

/** The bytes of a folded text, which are none where it is the text itself. */
function bytesOfFolded(folded: string | null = null, text: Value | null | undefined): number {
  return folded === text ? 0 : bytesOfValue(folded);
}

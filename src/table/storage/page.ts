import type { Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { foldedBeyondAscii } from '../text/case-folding.ts';
import { bytesOfArray, bytesOfValue, growthOf } from './byte-size.ts';

/** Rows per page. */
export const PAGE_SIZE = 512;

/** The bytes of a page without its arrays. */
const PAGE_HEADER = 128;

/** Memory of rows, in bytes. */
export interface StoredBytes {
  /** Rows with their values, and the pages that hold them. */
  readonly rows: number;
  /** Folded texts that are kept and differ from the original texts. */
  readonly texts: number;
}

type FoldedTexts = (string | undefined)[] | undefined;

/**
 * The rows of consecutive slots, and beside them the folded texts of some columns. ASCII texts have
 * none: most texts are ASCII, and folded copies would take a quarter of the memory of a table.
 */
export class Page {
  /** The epoch in which the page was made. While a snapshot sees it, a write copies it first. */
  readonly epoch: number;
  readonly rows: (StoredRow | undefined)[];
  live = 0;
  /** The bytes of each row, so that a row need not be read to be deleted. */
  readonly #sizes: Uint32Array;
  readonly #foldedColumns: readonly string[];
  /**
   * The folded texts of each of these columns; undefined where a row has no text, or ASCII, and
   * for a column that has had nothing else.
   */
  readonly #folded: FoldedTexts[];
  /**
   * The epoch in which each row was written. Set only for copies: the rows of other pages were
   * written in the epoch of the page.
   */
  #epochs: Float64Array | undefined;

  private constructor(
    epoch: number,
    rows: Page['rows'],
    sizes: Uint32Array,
    foldedColumns: readonly string[],
    folded: FoldedTexts[],
    epochs?: Float64Array,
  ) {
    this.epoch = epoch;
    this.rows = rows;
    this.#sizes = sizes;
    this.#foldedColumns = foldedColumns;
    this.#folded = folded;
    this.#epochs = epochs;
  }

  /** @param foldedColumns columns whose folded texts are kept beside the rows, ASCII aside */
  static empty(epoch: number, foldedColumns: readonly string[]): Page {
    return new Page(
      epoch,
      new Array(PAGE_SIZE).fill(undefined),
      new Uint32Array(PAGE_SIZE),
      foldedColumns,
      foldedColumns.map(() => undefined),
    );
  }

  /**
   * Puts a row at an index of the page. A text that does not change is not folded again.
   *
   * @returns by how many bytes rows and texts grow
   */
  set(at: number, row: StoredRow): StoredBytes {
    const before = this.rows[at];
    if (!before) this.live++;
    this.rows[at] = row;
    if (this.#epochs) this.#epochs[at] = this.epoch;
    let growth = growthOf(before, row);
    this.#sizes[at] = (this.#sizes[at] ?? 0) + growth;
    let texts = 0;
    for (let i = 0; i < this.#folded.length; i++) {
      const column = this.#foldedColumns[i] ?? '';
      const text = row[column];
      if (before && text === before[column]) continue;
      const old = this.#folded[i]?.[at];
      const folded = typeof text === 'string' ? foldedBeyondAscii(text) : undefined;
      if (old === undefined && folded === undefined) continue;
      texts += bytesOfFolded(folded, text) - bytesOfFolded(old, before?.[column]);
      growth += this.#keepFolded(i, at, folded);
    }
    return { rows: growth, texts };
  }

  /**
   * Deletes the rows at some indexes. Only those with folded texts are read.
   *
   * @returns the bytes of rows and texts that are gone
   */
  deleteAll(indexes: readonly number[]): StoredBytes {
    let rows = 0;
    let texts = 0;
    for (let i = 0; i < indexes.length; i++) {
      const at = indexes[i] ?? 0;
      if (this.rows[at] === undefined) continue;
      const bytes = this.bytesAt(at);
      rows += bytes.rows;
      texts += bytes.texts;
      this.rows[at] = undefined;
      this.#sizes[at] = 0;
      for (let column = 0; column < this.#folded.length; column++) {
        const folded = this.#folded[column];
        if (folded) folded[at] = undefined;
      }
      this.live--;
    }
    return { rows, texts };
  }

  /**
   * Returns the folded text at an index, of a column given by its position; undefined if there is
   * no text, or ASCII.
   */
  folded(position: number, at: number): string | undefined {
    return this.#folded[position]?.[at];
  }

  /** Returns the epoch in which the row at an index was written. */
  writeEpoch(at: number): number {
    return this.#epochs?.[at] ?? this.epoch;
  }

  /**
   * Returns the bytes of the row at an index, and of its folded texts where they differ from the
   * texts.
   */
  bytesAt(at: number): StoredBytes {
    let texts = 0;
    for (let i = 0; i < this.#folded.length; i++) {
      const folded = this.#folded[i]?.[at];
      if (folded === undefined) continue;
      texts += bytesOfFolded(folded, this.rows[at]?.[this.#foldedColumns[i] ?? '']);
    }
    return { rows: this.#sizes[at] ?? 0, texts };
  }

  /** Memory held without rows and texts, in bytes. */
  get bytes(): number {
    const arrays = 1 + this.#folded.filter((texts) => texts !== undefined).length;
    const numbers = this.#sizes.byteLength + (this.#epochs?.byteLength ?? 0);
    return PAGE_HEADER + arrays * bytesOfArray(PAGE_SIZE) + numbers;
  }

  /**
   * Drops the epochs of single rows. Must be called only when no snapshot is open: then the epoch
   * of the page is enough for all rows.
   *
   * @returns the number of bytes freed
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
      this.#sizes.slice(),
      this.#foldedColumns,
      this.#folded.map((texts) => texts?.slice()),
      this.#epochs?.slice() ?? new Float64Array(PAGE_SIZE).fill(this.epoch),
    );
    copy.live = this.live;
    return copy;
  }

  /** Keeps a folded text, and returns by how many bytes that makes the page grow. */
  #keepFolded(position: number, at: number, text: string | undefined): number {
    const texts = this.#folded[position];
    if (texts) {
      texts[at] = text;
      return 0;
    }
    const added: FoldedTexts = new Array(PAGE_SIZE).fill(undefined);
    added[at] = text;
    this.#folded[position] = added;
    return bytesOfArray(PAGE_SIZE);
  }
}

/**
 * Returns the bytes of a folded text; 0 if it is the same string as the text, which shares its
 * memory.
 */
function bytesOfFolded(folded: string | undefined, text: Value | null | undefined): number {
  return folded === undefined || folded === text ? 0 : bytesOfValue(folded);
}

import type { FoldedTexts } from '../indexes/substring-index.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { PAGE_SIZE, Page } from './page.ts';

/** The rows of one moment, by slot: the number of ids given before a row's own. */
export interface Rows {
  readonly size: number;
  /** All rows are in slots below this one. */
  readonly end: number;
  /** The page that holds a slot, if it has any row. */
  page(slot: number): Page | undefined;
}

/** Reads the row of a slot. */
export function rowAt(rows: Rows, slot: number): StoredRow | undefined {
  return rows.page(slot)?.rows[slot % PAGE_SIZE];
}

/** Pages in order of slots. Leading pages that are empty are not held. */
class Directory implements Rows {
  readonly epoch: number;
  pages: (Page | undefined)[];
  first: number;
  size: number;

  constructor(epoch: number, pages: (Page | undefined)[], first: number, size: number) {
    this.epoch = epoch;
    this.pages = pages;
    this.first = first;
    this.size = size;
  }

  get end(): number {
    return (this.first + this.pages.length) * PAGE_SIZE;
  }

  page(slot: number): Page | undefined {
    return this.pages[Math.floor(slot / PAGE_SIZE) - this.first];
  }

  copy(epoch: number): Directory {
    return new Directory(epoch, this.pages.slice(), this.first, this.size);
  }
}

/**
 * The rows of a table, and their moments. A snapshot costs nothing when it is taken: it shares the
 * directory and all pages, and whoever writes later copies what it touches, once. Nothing has to be
 * released; a snapshot that nobody holds is garbage like any other.
 */
export class RowStore implements Rows {
  readonly #foldedColumns: readonly string[];
  #directory = new Directory(0, [], 0, 0);
  #epoch = 0;

  /** @param foldedColumns columns whose text is kept folded beside the row */
  constructor(foldedColumns: readonly string[]) {
    this.#foldedColumns = foldedColumns;
  }

  get size(): number {
    return this.#directory.size;
  }

  get end(): number {
    return this.#directory.end;
  }

  page(slot: number): Page | undefined {
    return this.#directory.page(slot);
  }

  /** The rows as they are now, whatever is written later. */
  snapshot(): Rows {
    this.#epoch = this.#directory.epoch + 1;
    return this.#directory;
  }

  /** The bytes that all rows take. It takes as long as there are pages that changed since last. */
  get bytes(): number {
    const { pages } = this.#directory;
    return pages.reduce((sum, page) => sum + (page?.bytes ?? 0), 0);
  }

  /** Whether rows are those of now: a snapshot that nothing was written after, or this itself. */
  isCurrent(rows: Rows): boolean {
    return rows === this || rows === this.#directory;
  }

  /** The folded texts of a column, by its position among those that keep them. */
  foldedTexts(position: number): FoldedTexts {
    return {
      rowCount: () => this.size,
      folded: (slot) => this.page(slot)?.folded(position, slot % PAGE_SIZE) ?? null,
    };
  }

  /** Puts a row into a slot, or takes it out. */
  set(slot: number, row: StoredRow | undefined): void {
    const before = rowAt(this, slot);
    if (row === before) return;
    const page = this.#pageToWrite(slot);
    page.set(slot % PAGE_SIZE, row);
    this.#directory.size += (row ? 1 : 0) - (before ? 1 : 0);
    if (page.live === 0) this.#drop(slot);
  }

  #directoryToWrite(): Directory {
    if (this.#directory.epoch !== this.#epoch) this.#directory = this.#directory.copy(this.#epoch);
    return this.#directory;
  }

  #pageToWrite(slot: number): Page {
    const directory = this.#directoryToWrite();
    const number = Math.floor(slot / PAGE_SIZE);
    if (directory.pages.length === 0) directory.first = number;
    while (number < directory.first) {
      directory.pages.unshift(undefined);
      directory.first--;
    }
    const index = number - directory.first;
    while (directory.pages.length < index) directory.pages.push(undefined);
    let page = directory.pages[index];
    if (!page) page = Page.empty(this.#epoch, this.#foldedColumns);
    else if (page.epoch !== this.#epoch) page = page.copy(this.#epoch);
    directory.pages[index] = page;
    return page;
  }

  #drop(slot: number): void {
    const { pages, first } = this.#directory;
    pages[Math.floor(slot / PAGE_SIZE) - first] = undefined;
    while (pages.length > 0 && pages.at(-1) === undefined) pages.pop();
    const leading = pages.findIndex((page) => page !== undefined);
    // Trimmed rarely, since each trim moves the rest.
    if (leading > pages.length / 2) {
      pages.splice(0, leading);
      this.#directory.first += leading;
    }
  }
}

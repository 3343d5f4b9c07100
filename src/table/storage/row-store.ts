import { SnapshotClosedError } from '../errors.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { Directory } from './directory.ts';
import { PAGE_SIZE, Page } from './page.ts';
import { RetainedBytes } from './retained-bytes.ts';

/** The rows of one moment, by slot: the number of ids given before a row's own. */
export interface Rows {
  readonly size: number;
  /** All rows are in slots below this one. */
  readonly end: number;
  /** The page that holds a slot, if it has any row. */
  page(slot: number): Page | undefined;
}

/** The folded texts of a column. */
export interface FoldedTexts {
  /** The number of rows, with a text or without. */
  rowCount(): number;
  /** Whether a slot has a text. */
  has(slot: number): boolean;
  /** The folded text of a slot; null where there is none. */
  folded(slot: number): string | null;
}

/** Memory that rows take, in bytes. */
export interface StoredBytes {
  /** Rows with their values, and the pages they lie in. */
  readonly rows: number;
  /** Folded texts, where they are not the texts themselves. */
  readonly texts: number;
}

/** Reads the row of a slot. */
export function rowAt(rows: Rows, slot: number): StoredRow | undefined {
  return rows.page(slot)?.rows[slot % PAGE_SIZE];
}

/**
 * The rows of a table, and their moments. A snapshot costs nothing when it is taken: it shares the
 * directory and all pages, and whoever writes later copies what it touches, once, for as long as a
 * snapshot that sees it is open. A snapshot that nobody holds is garbage like any other.
 */
export class RowStore implements Rows {
  readonly #foldedColumns: readonly string[];
  readonly #retained = new RetainedBytes();
  /** What is written now is seen by snapshots of this epoch and later ones. */
  #epoch = 1;
  #directory = new Directory(0);
  #hasChanged = false;
  #rowBytes = 0;
  #textBytes = 0;

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

  /** Counted as rows are written, not measured. */
  get bytes(): StoredBytes {
    const rows = this.#rowBytes + this.#directory.bytes;
    return { rows, texts: this.#textBytes };
  }

  /** The sum of them, and of what open snapshots keep. */
  get totalBytes(): number {
    return this.#rowBytes + this.#directory.bytes + this.#textBytes + this.#retained.total;
  }

  /** Former rows and pages that open snapshots keep. */
  get retainedBytes(): number {
    return this.#retained.total;
  }

  /** The rows as they are now, whatever is written later. */
  snapshot(): RowSnapshot {
    if (this.#hasChanged) this.#epoch++;
    this.#hasChanged = false;
    return new RowSnapshot(this.#directory, this.#epoch - 1, this.#retained);
  }

  /** Whether nothing was written since a snapshot was taken. */
  isCurrent(snapshot: RowSnapshot): boolean {
    return snapshot.isOf(this.#directory);
  }

  /**
   * Notes that all rows are replaced by those of another store.
   *
   * @returns what open snapshots keep of them
   */
  retire(): RetainedBytes {
    const { rows, texts } = this.bytes;
    this.#retained.retain(0, rows + texts);
    return this.#retained;
  }

  /** The folded texts of a column, by its position among those that keep them. */
  foldedTexts(position: number): FoldedTexts {
    const column = this.#foldedColumns[position] ?? '';
    return {
      rowCount: () => this.size,
      has: (slot) => typeof rowAt(this, slot)?.[column] === 'string',
      folded: (slot) => this.page(slot)?.folded(position, slot % PAGE_SIZE) ?? null,
    };
  }

  /** Puts a row into a slot, or takes it out. */
  set(slot: number, row: StoredRow | undefined): void {
    const before = rowAt(this, slot);
    if (row === before) return;
    const at = slot % PAGE_SIZE;
    const page = this.#pageToWrite(slot);
    if (before) this.#retainRow(page, at);
    const growth = page.set(at, row);
    this.#rowBytes += growth.row;
    this.#textBytes += growth.texts;
    this.#directory.size += (row ? 1 : 0) - (before ? 1 : 0);
    if (page.live > 0) return;
    this.#directory.drop(slot);
    this.#rowBytes -= page.bytes;
  }

  /** Counts a row that is about to be replaced, if an open snapshot keeps it. */
  #retainRow(page: Page, at: number): void {
    const writeEpoch = page.writeEpoch(at);
    if (writeEpoch > this.#retained.newestEpoch) return;
    const { row, texts } = page.bytesAt(at);
    this.#retained.retain(writeEpoch, row + texts);
  }

  #pageToWrite(slot: number): Page {
    this.#hasChanged = true;
    const directory = this.#directoryToWrite();
    const page = directory.page(slot);
    if (page && !this.#isSeen(page)) {
      if (this.#retained.newestEpoch < 0) this.#rowBytes -= page.forgetEpochs();
      return page;
    }
    const written = page?.copy(this.#epoch) ?? Page.empty(this.#epoch, this.#foldedColumns);
    directory.put(slot, written);
    this.#rowBytes += written.bytes - (page?.bytes ?? 0);
    if (page) this.#retained.retain(page.epoch, page.bytes);
    return written;
  }

  #directoryToWrite(): Directory {
    const directory = this.#directory;
    if (this.#isSeen(directory)) {
      this.#directory = directory.copy(this.#epoch);
      this.#retained.retain(directory.epoch, directory.bytes);
    }
    return this.#directory;
  }

  /** Whether an open snapshot sees something, so that it must not change. */
  #isSeen({ epoch }: { readonly epoch: number }): boolean {
    return epoch <= this.#retained.newestEpoch;
  }
}

/** The rows of a moment, for as long as it is open. */
export class RowSnapshot implements Rows {
  readonly #epoch: number;
  readonly #retained: RetainedBytes;
  #directory: Directory | undefined;

  constructor(directory: Directory, epoch: number, retained: RetainedBytes) {
    this.#directory = directory;
    this.#epoch = epoch;
    this.#retained = retained;
    retained.open(this, epoch);
  }

  get size(): number {
    return this.#open().size;
  }

  get end(): number {
    return this.#open().end;
  }

  page(slot: number): Page | undefined {
    return this.#open().page(slot);
  }

  isOf(directory: Directory): boolean {
    return this.#directory === directory;
  }

  /** Another snapshot of the same moment, to be closed by itself. */
  share(): RowSnapshot {
    return new RowSnapshot(this.#open(), this.#epoch, this.#retained);
  }

  /** Gives up what is kept for it. It cannot be read any more. */
  close(): void {
    if (!this.#directory) return;
    this.#directory = undefined;
    this.#retained.close(this, this.#epoch);
  }

  #open(): Directory {
    if (this.#directory) return this.#directory;
    throw new SnapshotClosedError();
  }
}

import { SnapshotClosedError } from '../errors.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { Directory } from './directory.ts';
import { PAGE_SIZE, Page, type StoredBytes } from './page.ts';
import { RetainedBytes } from './retained-bytes.ts';

/**
 * Rows by slot, of a table or of a snapshot. The slot of a row is the number of ids assigned
 * before its own.
 */
export interface Rows {
  readonly size: number;
  /** All rows are in slots below this one. */
  readonly end: number;
  /** Returns the page of a slot; undefined if the page has no rows. */
  page(slot: number): Page | undefined;
}

/** The texts of a column, to be indexed. */
export interface IndexedTexts {
  /** Returns the number of rows, with or without a text. */
  rowCount(): number;
  /** Whether the row of a slot has a text. */
  has(slot: number): boolean;
  /**
   * Returns the text of a slot, folded unless it is ASCII; null if there is none. No text is
   * copied, so that many can be held.
   */
  text(slot: number): string | null;
}

/** Returns the row of a slot. */
export function rowAt(rows: Rows, slot: number): StoredRow | undefined {
  return rows.page(slot)?.rows[slot % PAGE_SIZE];
}

/** Returns the first slot of the page of a slot. */
function firstOfPage(slot: number): number {
  return slot - (slot % PAGE_SIZE);
}

/**
 * The rows of a table, with copy-on-write snapshots. Taking a snapshot costs nothing: it shares
 * the directory and all pages. While an open snapshot sees the directory or a page, the first
 * write to it makes a copy. Copies that nothing refers to any more are ordinary garbage.
 */
export class RowStore implements Rows {
  readonly #foldedColumns: readonly string[];
  readonly #retained = new RetainedBytes();
  /** The epoch of current writes: snapshots of this epoch and later ones see them. */
  #epoch = 1;
  #directory = new Directory(0);
  #hasChanged = false;
  #rowBytes = 0;
  #textBytes = 0;

  /** @param foldedColumns columns whose folded texts are kept beside the rows, ASCII aside */
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

  /** Computed as rows are written, not measured. */
  get bytes(): StoredBytes {
    const rows = this.#rowBytes + this.#directory.bytes;
    return { rows, texts: this.#textBytes };
  }

  /** The sum of these bytes and of what open snapshots retain. */
  get totalBytes(): number {
    return this.#rowBytes + this.#directory.bytes + this.#textBytes + this.#retained.total;
  }

  /** Bytes of old rows and pages that open snapshots retain. */
  get retainedBytes(): number {
    return this.#retained.total;
  }

  /** Takes a snapshot of the rows. */
  snapshot(): RowSnapshot {
    if (this.#hasChanged) this.#epoch++;
    this.#hasChanged = false;
    return new RowSnapshot(this.#directory, this.#epoch - 1, this.#retained);
  }

  /** Whether nothing has been written since the snapshot was taken. */
  isCurrent(snapshot: RowSnapshot): boolean {
    return snapshot.isOf(this.#directory);
  }

  /**
   * Ends the use of this store, because another one replaces it.
   *
   * @returns the bytes that open snapshots retain of it
   */
  retire(): RetainedBytes {
    const { rows, texts } = this.bytes;
    this.#retained.retain(0, rows + texts);
    return this.#retained;
  }

  /** Returns the texts of a column, given by its position among the folded columns. */
  indexedTexts(position: number): IndexedTexts {
    const column = this.#foldedColumns[position] ?? '';
    return {
      rowCount: () => this.size,
      has: (slot) => typeof rowAt(this, slot)?.[column] === 'string',
      text: (slot) => {
        const text = rowAt(this, slot)?.[column];
        if (typeof text !== 'string') return null;
        return this.page(slot)?.folded(position, slot % PAGE_SIZE) ?? text;
      },
    };
  }

  /** Puts a row into a slot, or deletes the row if undefined. Idempotent. */
  set(slot: number, row: StoredRow | undefined): void {
    const before = rowAt(this, slot);
    if (row === before) return;
    if (!row) {
      this.deleteAll([slot]);
      return;
    }
    const at = slot % PAGE_SIZE;
    const page = this.#pageToWrite(slot);
    if (before) this.#retainRow(page, at);
    const growth = page.set(at, row);
    this.#rowBytes += growth.rows;
    this.#textBytes += growth.texts;
    if (!before) this.#directory.size++;
  }

  /** Deletes the rows of some slots. Idempotent. */
  deleteAll(slots: readonly number[]): void {
    let indexes: number[] = [];
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0;
      indexes.push(slot % PAGE_SIZE);
      const first = firstOfPage(slot);
      if (i + 1 < slots.length && firstOfPage(slots[i + 1] ?? 0) === first) continue;
      this.#deleteFrom(first, indexes);
      indexes = [];
    }
  }

  /** Deletes rows of the page that begins with a slot. */
  #deleteFrom(first: number, indexes: readonly number[]): void {
    if (!this.page(first)) return;
    const page = this.#pageToWrite(first);
    for (const at of indexes) this.#retainRow(page, at);
    const { live } = page;
    const { rows, texts } = page.deleteAll(indexes);
    this.#rowBytes -= rows;
    this.#textBytes -= texts;
    this.#directory.size -= live - page.live;
    if (page.live > 0) return;
    this.#directory.drop(first);
    this.#rowBytes -= page.bytes;
  }

  /** Counts a row that is about to be replaced, if an open snapshot retains it. */
  #retainRow(page: Page, at: number): void {
    const writeEpoch = page.writeEpoch(at);
    if (writeEpoch > this.#retained.newestEpoch) return;
    const { rows, texts } = page.bytesAt(at);
    this.#retained.retain(writeEpoch, rows + texts);
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

  /** Whether an open snapshot sees a page or directory, so that it must not change. */
  #isSeen({ epoch }: { readonly epoch: number }): boolean {
    return epoch <= this.#retained.newestEpoch;
  }
}

/** The rows as they were when the snapshot was taken, until it is closed. */
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

  /** Returns another snapshot of the same rows, which is closed separately. */
  share(): RowSnapshot {
    return new RowSnapshot(this.#open(), this.#epoch, this.#retained);
  }

  /** Frees the memory that it retains. It cannot be read any more. */
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

import { firstNotBefore } from '../binary-search.ts';
import type { Mask } from '../bits.ts';
import { SnapshotClosedError } from '../errors.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { isSparse, nextCapacity, PAGE_SLOTS } from './capacity.ts';
import { Page } from './page.ts';
import type { Region } from './signature.ts';
import { TextIndex } from './text-index.ts';
import { hasRowOf, Versions } from './versions.ts';

/** A reference to a page, and one in the list before, which a snapshot may share. */
const BYTES_PER_PAGE = 16;

/** Pages to read: of a table, or of a snapshot. The identity of their schema tells the slots. */
export type Pages = Readonly<
  Pick<PageList, 'schema' | 'pages' | 'starts' | 'size' | 'texts' | 'snapshot'>
>;

/** A page, with a place in the order of a column before which it has no row. */
export interface PageStart {
  readonly page: Page;
  readonly value: Value | null;
  readonly slot: number;
}

/** A page, and another one to put in its place. */
export interface PageSwap {
  readonly page: Page;
  readonly newer: Page;
  /** The bytes of the rows that the newer one does not have. */
  readonly dropped: number;
  /** Where the new texts of changed rows have been added, as far as it had words for them. */
  readonly region?: Region | undefined;
}

/** By order, where pages start, in that order; undefined if one does not know it. */
type Starts = Map<number, readonly PageStart[] | undefined>;

/** Returns the index of the first page with a number, or a higher one. */
function indexFrom(pages: readonly Page[], number: number): number {
  // Where no page is missing, the index is known.
  const guess = number - (pages[0]?.number ?? number);
  if (pages[guess]?.number === number) return guess;
  return firstNotBefore(pages.length, (index) => numberOf(pages[index]) < number);
}

function numberOf(page: Page | undefined): number {
  if (page) return page.number;
  throw new TypeError('there is no page to have a number');
}

/** A slot, its page if there is one, and the row that it has: until the next write. */
export interface Located {
  readonly slot: number;
  readonly page: Page | undefined;
  /** The position in the page; -1 if it has none. */
  readonly at: number;
  readonly row: StoredRow | undefined;
}

/** Looks up a slot. */
export function locate({ pages }: Pages, slot: number): Located {
  const number = Math.floor(slot / PAGE_SLOTS);
  const page = pages[indexFrom(pages, number)];
  if (page?.number !== number) return { slot, page: undefined, at: -1, row: undefined };
  const at = page.positionOf(slot);
  return { slot, page, at, row: at < 0 ? undefined : page.rows[at] };
}

/** The pages of a table. Snapshots share them: a write to a page that one sees makes a copy. */
export class PageList {
  /** In order of their slots. Changed by copying: snapshots share it. */
  pages: readonly Page[] = [];
  /** What queries have found out, until a page changes. A snapshot shares it. */
  starts: Starts = new Map();
  size = 0;
  readonly schema: ResolvedSchema;
  readonly texts: TextIndex;
  #versions = new Versions();
  /** The epoch of current writes: snapshots of this epoch and later ones see them. */
  #epoch = 1;
  #hasChanged = false;
  #pageBytes = 0;
  /** Pages that have lost rows: to pack or to drop when the transaction has been committed. */
  readonly #thinned = new Set<number>();

  constructor(schema: ResolvedSchema, limits: { readonly maxBytes: number }) {
    this.schema = schema;
    this.texts = new TextIndex(schema.substrings, () => limits.maxBytes - this.bytes);
  }

  /** Memory held, with what open snapshots retain, in bytes. */
  get bytes(): number {
    const { bytes: retained } = this.#versions;
    return this.#pageBytes + this.pages.length * BYTES_PER_PAGE + this.texts.bytes + retained;
  }

  /** Bytes of old rows and pages that open snapshots retain. */
  get retainedBytes(): number {
    return this.#versions.bytes;
  }

  /** Takes a snapshot, which must be closed. */
  snapshot(): PageSnapshot {
    if (this.#hasChanged) this.#epoch++;
    this.#hasChanged = false;
    return new PageSnapshot(this, this.#epoch - 1, this.#versions);
  }

  /** Takes the place of other pages, which open snapshots may still see. */
  supersede(other: PageList): void {
    this.#versions = other.#versions;
    this.#epoch = other.#epoch;
    this.#hasChanged = true;
    for (const page of this.pages) page.epoch = this.#epoch;
    for (const page of other.pages) {
      other.texts.release(page);
      this.#versions.supersede(page, undefined, page.rowBytes);
    }
  }

  /** Returns how many bytes it takes at most to put a row somewhere, beyond those of the row. */
  bytesToPut({ slot, page, at }: Located): number {
    const { bitmaps, bytes: empty } = page ?? Page.empty(this.schema, slot, this.#epoch);
    let bytes = bitmaps.reduce((sum, { bytesPerValue }) => sum + bytesPerValue, 0);
    if (!page) return bytes + empty + BYTES_PER_PAGE;
    const isCopied = this.#versions.isSeen(page.epoch);
    if (isCopied) bytes += page.structureBytes;
    if (isCopied || (page.older && hasRowOf(page.older, page, at))) bytes += page.rowBytesAt(at);
    if (at >= 0 || page.canAppend(slot)) return bytes;
    const growth = nextCapacity(page.capacity) / page.capacity - 1;
    return bytes + Math.ceil(page.structureBytes * growth);
  }

  /** Puts a row somewhere, or deletes the one that is there, if any. Idempotent. */
  put(located: Located, row: StoredRow | undefined, revision: number): void {
    const { slot, row: before } = located;
    if (!row && !before) return;
    const page = this.#pageToWrite(located);
    // A page that was packed to have room has a position for the slot.
    const at = located.at < 0 ? page.positionFor(slot) : located.at;
    this.#write(page, at, row, revision);
    if (!row) this.#thinned.add(page.number);
    else if (before) this.texts.changed(page, at, before, row);
    else this.texts.inserted(page, at);
  }

  /** Returns how many bytes it takes at most to put a page in the place of another one. */
  bytesToSwap({ page, newer, dropped }: PageSwap): number {
    const growth = newer.bytes - page.bytes;
    if (this.#versions.isSeen(page.epoch)) return growth + page.structureBytes + dropped;
    return page.older ? growth + dropped : growth;
  }

  /** Puts a page with fewer rows, or with changed ones, in the place of another one. */
  swap({ page, newer, dropped, region }: PageSwap, changed: Mask): void {
    newer.epoch = this.#epoch;
    // The page may have moved to another region since.
    if (newer.region) newer.region = page.region;
    this.size += newer.size - page.size;
    this.#replace(page, newer, dropped);
    // A page with fewer rows has no changed ones.
    if (newer.size === page.size && page.region !== region) this.texts.signAgain(newer, changed);
    this.#thinned.add(page.number);
  }

  /** Packs the pages that have lost most of their rows. Called when a transaction is committed. */
  tidy(): void {
    if (this.#thinned.size === 0) return;
    for (const number of this.#thinned) {
      const page = this.pages[indexFrom(this.pages, number)];
      if (page?.number !== number) continue;
      if (page.size === 0) this.#replace(page, undefined, page.rowBytes);
      else if (isSparse(page)) this.#replace(page, page.packed(this.#epoch));
      else this.texts.thin(page);
    }
    this.#thinned.clear();
  }

  /** Puts or deletes a row, and counts again. If it fails, rows are kept. */
  #write(page: Page, at: number, after: StoredRow | undefined, revision: number): void {
    this.#noteChange();
    this.#versions.rowReplaced(page, at, after);
    const { bytes, size } = page;
    let written = page;
    try {
      if (after) page.put(at, after, revision);
      else page.delete(at);
    } catch (error) {
      // Everything but the rows may be half written.
      written = this.#replace(page, page.rebuilt(this.#epoch));
      throw error;
    } finally {
      this.#pageBytes += page.bytes - bytes;
      this.size += written.size - size;
    }
  }

  #noteChange(): void {
    // One that is empty may have been given to a snapshot, which fills it.
    if (!this.#hasChanged || this.starts.size > 0) this.starts = new Map();
    this.#hasChanged = true;
  }

  /** Returns the page of a slot, with room for its row, and seen by no snapshot. */
  #pageToWrite({ slot, page, at }: Located): Page {
    const epoch = this.#epoch;
    if (!page) {
      const empty = this.#replace(undefined, Page.empty(this.schema, slot, epoch));
      // The page is dropped again unless a row is put into it.
      this.#thinned.add(empty.number);
      return empty;
    }
    const roomy = at < 0 ? page.withRoomFor(slot, epoch) : page;
    if (roomy !== page) return this.#replace(page, roomy);
    return this.#versions.isSeen(page.epoch) ? this.#replace(page, page.copy(epoch)) : page;
  }

  #replace<P extends Page | undefined>(page: Page | undefined, newer: P, dropped = 0): P {
    this.#noteChange();
    const index = indexFrom(this.pages, numberOf(page ?? newer));
    this.pages = this.pages.toSpliced(index, page ? 1 : 0, ...(newer ? [newer] : []));
    this.#pageBytes += (newer?.bytes ?? 0) - (page?.bytes ?? 0);
    if (page && newer?.region !== page.region) this.texts.release(page);
    if (page) this.#versions.supersede(page, newer, dropped);
    return newer;
  }
}

/** The pages as they were when the snapshot was taken, until it is closed. */
export class PageSnapshot {
  readonly #versions: Versions;
  readonly #epoch: number;
  #pages: Pages | undefined;

  constructor({ schema, pages, starts, size, texts }: Pages, epoch: number, versions: Versions) {
    // Another one of the same pages is closed separately.
    const snapshot = () => new PageSnapshot(this.read(), epoch, versions);
    this.#pages = { schema, pages, starts, size, texts, snapshot };
    this.#epoch = epoch;
    this.#versions = versions;
    versions.open(epoch);
  }

  /** @throws SnapshotClosedError */
  read(): Pages {
    if (this.#pages) return this.#pages;
    throw new SnapshotClosedError('the snapshot has been closed');
  }

  /** Frees the memory that it retains. It cannot be read any more. */
  close(): void {
    if (!this.#pages) return;
    this.#pages = undefined;
    this.#versions.close(this.#epoch);
  }
}

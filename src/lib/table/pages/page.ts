import { firstNotBefore } from '../binary-search.ts';
import {
  clearBit,
  countBits,
  hasBit,
  isEmpty,
  type Mask,
  positionsIn,
  setBit,
  WORD_BITS,
} from '../bits.ts';
import { bytesOfRow, growthOf } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { isIrregular } from '../text/case-folding.ts';
import { capacityFor, MIN_CAPACITY, nextCapacity, PAGE_SLOTS } from './capacity.ts';
import { OrderedPositions } from './ordered-positions.ts';
import type { Region } from './signature.ts';
import { ValueBitmaps } from './value-bitmaps.ts';

const HEADER_BYTES = 1800;
/** A row, its bytes, a revision, an offset and two bits for each position. */
const BYTES_PER_POSITION = 8 + 4 + 8 + 2 + 2 / 8;

/**
 * The rows of consecutive slots, and over the same positions what finds them. Positions are in
 * order of the slots, and never given to others: a page with few rows left is packed instead.
 */
export class Page {
  readonly schema: ResolvedSchema;
  readonly number: number;
  /** Whether it belongs to the table, and not to snapshots alone. */
  isCurrent = true;
  /** The epoch in which it became current. While a snapshot sees it, a write copies it first. */
  epoch: number;
  readonly capacity: number;
  /** The number of words of its masks. */
  readonly words: number;
  /** By position. */
  readonly rows: (StoredRow | undefined)[];
  /** The positions that have a row. */
  readonly live: Mask;
  /** The positions that may have an irregular text ({@link isIrregular}). */
  readonly irregular: Mask;
  readonly bitmaps: readonly ValueBitmaps[];
  ordered: readonly OrderedPositions[];
  region: Region | undefined;
  size = 0;
  /** All rows are at positions below this one. */
  end = 0;
  /** Memory held by rows and their values, in bytes. */
  rowBytes = 0;
  /** Memory held apart from them. */
  structureBytes: number;
  /** The version before, while a snapshot sees that; and the version after this one. */
  older: Page | undefined;
  newer: Page | undefined;
  /** What is held for snapshots alone: bytes of this version that the newer one does not share. */
  retainedBytes = 0;
  /** The bytes of the row at each position, and its values. */
  readonly #sizes: Uint32Array;
  readonly #revisions: Float64Array;
  /** The slot, within the page, of each position. */
  readonly #offsets: Uint16Array;
  /** Whether each slot has the number of its position, as until the page is packed. */
  #isDense = true;

  private constructor(
    schema: ResolvedSchema,
    number: number,
    epoch: number,
    capacity: number,
    from?: Page,
  ) {
    const words = capacity / WORD_BITS;
    this.schema = schema;
    this.number = number;
    this.epoch = epoch;
    this.capacity = capacity;
    this.words = words;
    const kept = from ? from.rows : [];
    const added = new Array<StoredRow | undefined>(capacity - kept.length).fill(undefined);
    this.rows = kept.concat(added);
    this.live = new Int32Array(words);
    this.irregular = new Int32Array(words);
    this.#sizes = new Uint32Array(capacity);
    this.#revisions = new Float64Array(capacity);
    this.#offsets = new Uint16Array(capacity);
    this.bitmaps = from
      ? from.bitmaps.map((bitmaps) => bitmaps.copy(words))
      : schema.bitmaps.map((each) => new ValueBitmaps(each, words));
    this.ordered = from
      ? from.ordered.map((ordered) => ordered.copy(this.rows))
      : schema.ordered.map((each) => new OrderedPositions(each, this.rows));
    this.structureBytes = HEADER_BYTES + capacity * BYTES_PER_POSITION + this.indexBytes;
    if (!from) return;
    this.size = from.size;
    this.rowBytes = from.rowBytes;
    this.live.set(from.live);
    this.irregular.set(from.irregular);
    this.#sizes.set(from.#sizes);
    this.#revisions.set(from.#revisions);
    this.#offsets.set(from.#offsets);
    this.#isDense = from.#isDense;
    this.region = from.region;
    this.end = from.end;
  }

  /** Makes a page whose first row will have a slot. */
  static empty(schema: ResolvedSchema, slot: number, epoch: number): Page {
    return new Page(schema, Math.floor(slot / PAGE_SLOTS), epoch, MIN_CAPACITY);
  }

  get bytes(): number {
    return this.structureBytes + this.rowBytes;
  }

  /** Memory held by bitmaps and orders. */
  get indexBytes(): number {
    return [...this.bitmaps, ...this.ordered].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  slotAt(at: number): number {
    return this.number * PAGE_SLOTS + (this.#isDense ? at : (this.#offsets[at] ?? 0));
  }

  /** Returns the first position whose slot is at least a slot. */
  positionFrom(slot: number): number {
    const offset = slot - this.number * PAGE_SLOTS;
    if (this.#isDense) return Math.min(Math.max(0, offset), this.end);
    if (this.#isNext(slot)) return this.end;
    return firstNotBefore(this.end, (at) => this.slotAt(at) < slot);
  }

  /** Returns the position of a slot; -1 if it has none. */
  positionOf(slot: number): number {
    const at = this.positionFrom(slot);
    return at < this.end && this.slotAt(at) === slot ? at : -1;
  }

  rowOf(slot: number): StoredRow | undefined {
    return this.rows[this.positionOf(slot)];
  }

  /** Returns the number of the commit that wrote the row at a position. */
  revisionAt(at: number): number {
    return this.#revisions[at] ?? 0;
  }

  /** Returns the bytes of the row at a position and its values. */
  rowBytesAt(at: number): number {
    return this.#sizes[at] ?? 0;
  }

  /** Whether a slot that has no position can get one; if not, see {@link withRoomFor}. */
  canAppend(slot: number): boolean {
    return this.end < this.capacity && this.#isNext(slot);
  }

  /** Returns the page, or a copy with room for a slot, packed if that is out of order. */
  withRoomFor(slot: number, epoch: number): Page {
    if (this.canAppend(slot) || this.positionOf(slot) >= 0) return this;
    return this.#isNext(slot)
      ? this.copy(epoch, nextCapacity(this.capacity))
      : this.packed(epoch, slot);
  }

  /** Copies the page, with room for more positions. Both have the same region of a signature. */
  copy(epoch: number, capacity = this.capacity): Page {
    return new Page(this.schema, this.number, epoch, capacity, this);
  }

  /** Copies the page without the positions that have no row, and with room for a slot, if given. */
  packed(epoch: number, slot = Number.POSITIVE_INFINITY): Page {
    const page = new Page(this.schema, this.number, epoch, capacityFor(this.size));
    const to = new Uint16Array(this.end);
    for (const from of positionsIn(this.live, this.words)) {
      if (this.slotAt(from) > slot && page.#isNext(slot)) page.append(slot);
      const at = page.append(this.slotAt(from));
      const row = this.rows[from];
      page.rows[at] = row;
      page.#sizes[at] = this.rowBytesAt(from);
      page.#revisions[at] = this.revisionAt(from);
      setBit(page.live, at);
      if (hasBit(this.irregular, from)) setBit(page.irregular, at);
      for (const bitmaps of page.bitmaps) {
        page.structureBytes += bitmaps.set(at, row?.[bitmaps.column] ?? null);
      }
      to[from] = at;
    }
    page.ordered = this.ordered.map((ordered) => ordered.copy(page.rows, to));
    page.size = this.size;
    page.rowBytes = this.rowBytes;
    return page;
  }

  /** Makes the page again from its rows, whatever state the rest of it is in. */
  rebuilt(epoch: number): Page {
    const page = new Page(this.schema, this.number, epoch, capacityFor(this.size));
    for (let at = 0; at < this.end; at++) {
      const row = this.rows[at];
      if (row) page.put(page.append(this.slotAt(at)), row, this.revisionAt(at));
    }
    return page;
  }

  /** Returns the position of a slot, or gives it the next one, which it must be able to get. */
  positionFor(slot: number): number {
    const at = this.positionOf(slot);
    return at < 0 ? this.append(slot) : at;
  }

  /** Gives the next position to a slot, which must be able to get it. */
  append(slot: number): number {
    const at = this.end++;
    this.#offsets[at] = slot % PAGE_SLOTS;
    this.#isDense &&= slot % PAGE_SLOTS === at;
    return at;
  }

  put(at: number, row: StoredRow, revision: number): void {
    const before = this.rows[at];
    const growth = before ? growthOf(this.schema, before, row) : bytesOfRow(this.schema, row);
    this.#sizes[at] = this.rowBytesAt(at) + growth;
    this.rowBytes += growth;
    this.#revisions[at] = revision;
    const changed = before
      ? this.ordered.filter(({ column }) => before[column] !== row[column])
      : this.ordered;
    if (before) for (const ordered of changed) ordered.remove(at);
    else {
      this.size++;
      setBit(this.live, at);
    }
    this.rows[at] = row;
    for (const ordered of changed) ordered.add(at);
    for (const column of this.schema.texts) {
      const text = row[column];
      if (typeof text !== 'string' || text === before?.[column]) continue;
      if (isIrregular(text)) setBit(this.irregular, at);
    }
    for (const bitmaps of this.bitmaps) {
      const value = row[bitmaps.column] ?? null;
      if (before?.[bitmaps.column] !== value) this.structureBytes += bitmaps.set(at, value);
    }
  }

  /** Notes which commit wrote the rows at the positions of a mask. */
  setRevisions(mask: Mask, revision: number): void {
    for (const at of positionsIn(mask, this.words)) this.#revisions[at] = revision;
  }

  /** Deletes the row at a position, if there is one. Its bits stay, except in `live`. */
  delete(at: number): void {
    if (this.rows[at] === undefined) return;
    for (const ordered of this.ordered) ordered.remove(at);
    this.#forget(at);
  }

  /** Copies the page without the rows at the positions of a mask, unless there are none. */
  without(mask: Mask, keepsPositions: boolean): Page {
    if (isEmpty(mask, this.words)) return this;
    if (!keepsPositions && countBits(mask, 0, this.words) === this.size) {
      return Page.empty(this.schema, this.slotAt(0), this.epoch);
    }
    const copy = this.copy(this.epoch);
    for (const at of positionsIn(mask, this.words)) copy.#forget(at);
    for (const ordered of copy.ordered) ordered.keep(copy.live);
    return copy;
  }

  #forget(at: number): void {
    this.rowBytes -= this.rowBytesAt(at);
    this.#sizes[at] = 0;
    this.rows[at] = undefined;
    clearBit(this.live, at);
    this.size--;
  }

  #isNext(slot: number): boolean {
    return this.end === 0 || this.slotAt(this.end - 1) < slot;
  }
}

import type { BitSet } from './bit-set.ts';
import { RankedBits } from './ranked-bits.ts';

/*
 * A posting list holds the rows of a segment that contain a term, ascending and numbered from 0.
 * It is stored as gaps between rows, each a varint (seven bits per byte); or as a bitmap of all
 * rows, if that takes at most twice as many bytes. In a bitmap, one row can be looked up without
 * decoding the list.
 */

const BITS = 8;

/**
 * The bytes of lists are kept in chunks of at most this many, so that none is copied when there are
 * more. No list crosses their limits. A start counts all chunks as full.
 */
export const CHUNK_BYTES = 0x100000;
/** The bits of a start that are not the number of its chunk. */
const CHUNK_BITS = 20;

/** Returns the bytes of a bitmap of the rows of a segment. */
export function bitmapBytes(rowCount: number): number {
  return Math.ceil(rowCount / BITS);
}

/** Whether a list is stored as a bitmap, given the bytes that it takes as gaps. */
export function isDense(bytes: number, rowCount: number): boolean {
  return 2 * bytes * BITS >= rowCount;
}

/** The arrays of posting lists, by list. */
export interface PostingListsData {
  /** The number of rows of the segment. */
  readonly rowCount: number;
  /** The key of each list, ascending. */
  readonly keys: Uint16Array;
  /** The number of rows in each list. */
  readonly counts: Uint32Array;
  /** The start of each list, and finally the end of the last one; see `CHUNK_BYTES`. */
  readonly starts: Uint32Array;
  readonly chunks: readonly Uint8Array[];
}

/** Posting lists, each with a key, stored one after the other. */
export class PostingLists {
  readonly #rowCount: number;
  /** Ascending. */
  readonly keys: Uint16Array;
  readonly #ranks: RankedBits;
  readonly #counts: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #chunks: readonly Uint8Array[];

  constructor({ rowCount, keys, counts, starts, chunks }: PostingListsData) {
    this.#rowCount = rowCount;
    this.keys = keys;
    this.#ranks = new RankedBits(keys);
    this.#counts = counts;
    this.#starts = starts;
    this.#chunks = chunks;
  }

  get isEmpty(): boolean {
    return this.keys.length === 0;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const byteLength = this.#chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    return (
      this.#ranks.bytes +
      this.keys.byteLength +
      this.#starts.byteLength +
      this.#counts.byteLength +
      byteLength
    );
  }

  /** Returns the number of the list of a key; undefined if there is none. */
  find(key: number): number | undefined {
    return this.#ranks.rankOf(key);
  }

  /** Returns the number of rows in a list. */
  count(list: number): number {
    return this.#counts[list] ?? 0;
  }

  /** Whether one row of a list can be looked up without decoding it. */
  isBitmap(list: number): boolean {
    return this.#end(list) - this.#start(list) === bitmapBytes(this.#rowCount);
  }

  /**
   * Decodes a list into an array, which must be long enough.
   *
   * @returns the number of rows
   */
  decode(list: number, rows: Int32Array): number {
    return this.isBitmap(list) ? this.#decodeBitmap(list, rows) : this.#decodeGaps(list, rows);
  }

  /** Adds the rows of a list to a set. */
  addTo(set: BitSet, list: number): void {
    if (this.isBitmap(list)) this.#addBitmap(set, list);
    else this.#addGaps(set, list);
  }

  /**
   * Intersects rows with a list, in place.
   *
   * @param rows ascending rows; the first ones are replaced by the result
   * @param count how many of them to intersect
   * @returns the number of rows in the result
   */
  intersect(rows: Int32Array, count: number, list: number): number {
    return this.isBitmap(list)
      ? this.#intersectBitmap(rows, count, list)
      : this.#intersectGaps(rows, count, list);
  }

  /** Returns the chunk that a list is in. */
  #chunk(list: number): Uint8Array {
    return this.#chunks[(this.#starts[list] ?? 0) >>> CHUNK_BITS] ?? NO_BYTES;
  }

  /** Returns where a list starts in its chunk. */
  #start(list: number): number {
    return (this.#starts[list] ?? 0) & (CHUNK_BYTES - 1);
  }

  /** Returns where a list ends in its chunk: where the next one starts, if that is in it. */
  #end(list: number): number {
    const start = this.#starts[list] ?? 0;
    const length = (this.#starts[list + 1] ?? 0) - start;
    const from = start & (CHUNK_BYTES - 1);
    return from + length < CHUNK_BYTES ? from + length : this.#chunk(list).length;
  }

  #decodeBitmap(list: number, rows: Int32Array): number {
    const bytes = this.#chunk(list);
    const from = this.#start(list);
    const end = this.#end(list);
    let count = 0;
    for (let i = from; i < end; i++) {
      for (let bits = bytes[i] ?? 0; bits !== 0; bits &= bits - 1) {
        rows[count++] = (i - from) * BITS + 31 - Math.clz32(bits & -bits);
      }
    }
    return count;
  }

  #decodeGaps(list: number, rows: Int32Array): number {
    const bytes = this.#chunk(list);
    const end = this.#end(list);
    let count = 0;
    let row = -1;
    for (let i = this.#start(list); i < end; ) {
      let byte = bytes[i++] ?? 0;
      row += byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[i++] ?? 0;
        row += (byte & 0x7f) << shift;
      }
      rows[count++] = row;
    }
    return count;
  }

  #addBitmap(set: BitSet, list: number): void {
    const bytes = this.#chunk(list);
    const from = this.#start(list);
    const end = this.#end(list);
    for (let i = from; i < end; i++) set.addByte((i - from) * BITS, bytes[i] ?? 0);
  }

  #addGaps(set: BitSet, list: number): void {
    const bytes = this.#chunk(list);
    const end = this.#end(list);
    let row = -1;
    for (let i = this.#start(list); i < end; ) {
      let byte = bytes[i++] ?? 0;
      row += byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[i++] ?? 0;
        row += (byte & 0x7f) << shift;
      }
      set.add(row);
    }
  }

  #intersectBitmap(rows: Int32Array, count: number, list: number): number {
    const bytes = this.#chunk(list);
    const from = this.#start(list);
    let common = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0;
      if (((bytes[from + (row >>> 3)] ?? 0) >>> (row & 7)) & 1) rows[common++] = row;
    }
    return common;
  }

  /**
   * Intersects while decoding: most rows of the list are not in the result, so they are not
   * stored.
   */
  #intersectGaps(rows: Int32Array, count: number, list: number): number {
    const bytes = this.#chunk(list);
    const end = this.#end(list);
    let common = 0;
    let next = 0;
    let wanted = rows[0] ?? 0;
    let row = -1;
    for (let i = this.#start(list); i < end; ) {
      let byte = bytes[i++] ?? 0;
      row += byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[i++] ?? 0;
        row += (byte & 0x7f) << shift;
      }
      if (row < wanted) continue;
      while (wanted < row && ++next < count) wanted = rows[next] ?? 0;
      if (next === count) break;
      if (wanted === row) rows[common++] = row;
    }
    return common;
  }
}

const NO_BYTES = new Uint8Array();

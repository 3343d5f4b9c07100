/*
 * A posting list holds the rows of a segment that contain a key, ascending and numbered from 0. It
 * is stored as gaps between rows, each a varint (seven bits per byte); or as a bitmap of all rows,
 * if that takes at most twice as many bytes. In a bitmap, one row can be looked up without
 * decoding the list.
 */

const BITS = 8;

/**
 * Returns the bytes of a bitmap of the rows of a segment. A list of exactly this length is always
 * a bitmap.
 */
export function bitmapBytes(rowCount: number): number {
  return Math.ceil(rowCount / BITS);
}

/** Whether a list is stored as a bitmap, given the bytes that it takes as gaps. */
export function isDense(bytes: number, rowCount: number): boolean {
  return 2 * bytes * BITS >= rowCount;
}

/** Returns the bytes of a gap as a varint. */
export function varintLength(gap: number): number {
  return gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
}

/** Adds a row to a bitmap that starts at `from`. */
export function setBit(bytes: Uint8Array, from: number, row: number): void {
  const at = from + (row >>> 3);
  bytes[at] = (bytes[at] ?? 0) | (1 << (row & 7));
}

/** Posting lists, stored one after the other. */
export class PostingLists {
  readonly #rowCount: number;
  /** The start of each list, and finally the end of the last one. */
  readonly #starts: Uint32Array;
  readonly #bytes: Uint8Array;
  /** The number of rows in each list. */
  readonly #counts: Uint32Array;

  constructor(rowCount: number, starts: Uint32Array, counts: Uint32Array, bytes: Uint8Array) {
    this.#rowCount = rowCount;
    this.#starts = starts;
    this.#counts = counts;
    this.#bytes = bytes;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#starts.byteLength + this.#counts.byteLength + this.#bytes.byteLength;
  }

  /** Returns the number of rows in a list. */
  count(list: number): number {
    return this.#counts[list] ?? 0;
  }

  isBitmap(list: number): boolean {
    return this.#length(list) === bitmapBytes(this.#rowCount);
  }

  /**
   * Decodes a list into an array, which must be long enough.
   *
   * @returns the number of rows
   */
  decode(list: number, rows: Int32Array): number {
    return this.isBitmap(list) ? this.#decodeBitmap(list, rows) : this.#decodeGaps(list, rows);
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

  #length(list: number): number {
    return (this.#starts[list + 1] ?? 0) - (this.#starts[list] ?? 0);
  }

  #decodeBitmap(list: number, rows: Int32Array): number {
    const bytes = this.#bytes;
    const from = this.#starts[list] ?? 0;
    const end = this.#starts[list + 1] ?? 0;
    let count = 0;
    for (let i = from; i < end; i++) {
      for (let bits = bytes[i] ?? 0; bits !== 0; bits &= bits - 1) {
        rows[count++] = (i - from) * BITS + 31 - Math.clz32(bits & -bits);
      }
    }
    return count;
  }

  #decodeGaps(list: number, rows: Int32Array): number {
    const bytes = this.#bytes;
    const end = this.#starts[list + 1] ?? 0;
    let count = 0;
    let row = -1;
    for (let i = this.#starts[list] ?? 0; i < end; ) {
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

  #intersectBitmap(rows: Int32Array, count: number, list: number): number {
    const bytes = this.#bytes;
    const from = this.#starts[list] ?? 0;
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
    const bytes = this.#bytes;
    const end = this.#starts[list + 1] ?? 0;
    let common = 0;
    let next = 0;
    let wanted = rows[0] ?? 0;
    let row = -1;
    for (let i = this.#starts[list] ?? 0; i < end; ) {
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

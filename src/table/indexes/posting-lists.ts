/*
 * A posting list: the rows of a segment, numbered from 0 and ascending, that have a key. It is
 * stored as differences at seven bits a byte; or, where that is not less than half as long, as a
 * bitmap of all rows, in which a row is looked up at once.
 */

const BITS = 8;

/** The bytes of a bitmap of so many rows. Whatever list is exactly so long is one. */
export function bitmapBytes(rowCount: number): number {
  return Math.ceil(rowCount / BITS);
}

/** Whether a list is stored as a bitmap, given the bytes of its differences. */
export function isDense(bytes: number, rowCount: number): boolean {
  return 2 * bytes * BITS >= rowCount;
}

/** The bytes of a difference at seven bits each. */
export function varintLength(gap: number): number {
  return gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
}

/** Adds a row to a bitmap that starts at a place. */
export function setBit(bytes: Uint8Array, from: number, row: number): void {
  const at = from + (row >>> 3);
  bytes[at] = (bytes[at] ?? 0) | (1 << (row & 7));
}

/** Lists that are stored one after the other. */
export class PostingLists {
  readonly #rowCount: number;
  /** Where each list starts, and at last where the lists end. */
  readonly #starts: Uint32Array;
  readonly #bytes: Uint8Array;
  /** How many rows each list has. */
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

  /** How many rows a list has. */
  count(list: number): number {
    return this.#counts[list] ?? 0;
  }

  isBitmap(list: number): boolean {
    return this.#length(list) === bitmapBytes(this.#rowCount);
  }

  /** Writes the rows of a list into an array that has room, and returns how many they are. */
  decode(list: number, rows: Int32Array): number {
    return this.isBitmap(list) ? this.#decodeBitmap(list, rows) : this.#decodeGaps(list, rows);
  }

  /**
   * Keeps those of the first rows of an array, ascending, that are in a list as well.
   * @returns how many they are
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

  /** The list is not decoded first, since most of its rows are of no interest. */
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

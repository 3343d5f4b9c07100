import { bitmapBytes, CHUNK_BYTES, isDense, PostingLists } from './posting-lists.ts';

const FIRST_BYTES = 4096;

/** Writes posting lists one after the other, in ascending order of their keys. */
export class PostingListsWriter {
  readonly #rowCount: number;
  readonly #keys: number[] = [];
  readonly #counts: number[] = [];
  readonly #starts: number[] = [];
  readonly #chunks: Uint8Array[] = [];
  /** The chunk being written, which grows until it is full. */
  #bytes = new Uint8Array(FIRST_BYTES);
  #end = 0;

  /** @param rowCount the number of rows of the segment */
  constructor(rowCount: number) {
    this.#rowCount = rowCount;
  }

  /**
   * Appends the list of a key: `rows` between two indexes, ascending. A row that is repeated
   * counts once.
   */
  append(key: number, rows: Int32Array, from: number, to: number): void {
    let count = 0;
    let length = 0;
    let last = -1;
    for (let i = from; i < to; i++) {
      const row = rows[i] ?? 0;
      if (row === last) continue;
      length += varintLength(row - last);
      last = row;
      count++;
    }
    if (isDense(length, this.#rowCount)) this.#appendBitmap(rows, from, to);
    else this.#appendGaps(rows, from, to, length);
    this.#keys.push(key);
    this.#counts.push(count);
  }

  /** Returns the lists, in arrays of their own. */
  lists(): PostingLists {
    const end = this.#chunks.length * CHUNK_BYTES + this.#end;
    this.#endChunk();
    return new PostingLists({
      rowCount: this.#rowCount,
      keys: new Uint16Array(this.#keys),
      counts: new Uint32Array(this.#counts),
      starts: new Uint32Array([...this.#starts, end]),
      chunks: this.#chunks,
    });
  }

  #appendBitmap(rows: Int32Array, from: number, to: number): void {
    const start = this.#reserve(bitmapBytes(this.#rowCount));
    const bytes = this.#bytes;
    bytes.fill(0, start, this.#end);
    for (let i = from; i < to; i++) {
      const row = rows[i] ?? 0;
      const at = start + (row >>> 3);
      bytes[at] = (bytes[at] ?? 0) | (1 << (row & 7));
    }
  }

  #appendGaps(rows: Int32Array, from: number, to: number, length: number): void {
    let at = this.#reserve(length);
    const bytes = this.#bytes;
    let last = -1;
    for (let i = from; i < to; i++) {
      const row = rows[i] ?? 0;
      let gap = row - last;
      if (gap === 0) continue;
      for (; gap > 0x7f; gap >>>= 7) bytes[at++] = (gap & 0x7f) | 0x80;
      bytes[at++] = gap;
      last = row;
    }
  }

  /** Makes room for a list; returns where it starts in the chunk. */
  #reserve(length: number): number {
    if (this.#end + length > CHUNK_BYTES) this.#endChunk();
    const start = this.#end;
    this.#starts.push(this.#chunks.length * CHUNK_BYTES + start);
    this.#end += length;
    if (this.#end > this.#bytes.length) {
      const bytes = new Uint8Array(Math.min(CHUNK_BYTES, 2 * this.#end));
      bytes.set(this.#bytes.subarray(0, start));
      this.#bytes = bytes;
    }
    return start;
  }

  #endChunk(): void {
    this.#chunks.push(this.#bytes.slice(0, this.#end));
    this.#bytes = new Uint8Array(FIRST_BYTES);
    this.#end = 0;
  }
}

/** Returns the bytes of a gap as a varint. */
function varintLength(gap: number): number {
  return gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
}

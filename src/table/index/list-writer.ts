import { Segment } from './segment.ts';
import { KEY_COUNT } from './trigrams.ts';

/** The bytes that the difference of two row numbers takes at most, at seven bits each. */
const MOST_BYTES = 4;

/** Writes a segment, list by list, in order of the keys. */
export class ListWriter {
  readonly #keys: number[] = [];
  readonly #starts: number[] = [];
  #bytes = new Uint8Array(KEY_COUNT);
  #end = 0;
  #lastRow = -1;

  /** Begins the list of a key; the one before is at its end. */
  begin(key: number): void {
    this.#keys.push(key);
    this.#starts.push(this.#end);
    this.#lastRow = -1;
  }

  /** Adds rows to the list, ascending. */
  add(rows: Int32Array): void {
    const bytes = this.#roomFor(rows.length * MOST_BYTES);
    let end = this.#end;
    let last = this.#lastRow;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      let step = row - last;
      for (; step > 0x7f; step >>>= 7) bytes[end++] = (step & 0x7f) | 0x80;
      bytes[end++] = step;
      last = row;
    }
    this.#end = end;
    this.#lastRow = last;
  }

  /** Adds the rows of the n-th key of a segment, each larger by an offset. */
  addList(segment: Segment, list: number, offset: number): void {
    const { starts, postings } = segment;
    const from = starts[list] ?? 0;
    const to = starts[list + 1] ?? 0;
    const bytes = this.#roomFor(to - from + MOST_BYTES);
    let end = this.#end;
    let row = -1;
    let shift = 0;
    let i = from;
    // All but the first are differences, which an offset does not change.
    for (let more = true; more; shift += 7) {
      const byte = postings[i++] ?? 0;
      row += (byte & 0x7f) << shift;
      more = byte > 0x7f;
    }
    let step = row + offset - this.#lastRow;
    for (; step > 0x7f; step >>>= 7) bytes[end++] = (step & 0x7f) | 0x80;
    bytes[end++] = step;
    shift = 0;
    while (i < to) {
      const byte = postings[i++] ?? 0;
      bytes[end++] = byte;
      row += (byte & 0x7f) << shift;
      shift = byte > 0x7f ? shift + 7 : 0;
    }
    this.#end = end;
    this.#lastRow = row + offset;
  }

  /** The segment with all lists that were written. */
  segment(born: number, slots: Float64Array): Segment {
    return new Segment(
      born,
      slots,
      new Uint16Array(this.#keys),
      new Uint32Array([...this.#starts, this.#end]),
      this.#bytes.slice(0, this.#end),
    );
  }

  #roomFor(bytes: number): Uint8Array {
    if (this.#end + bytes > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#end + bytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

import { encode, mostBytes, PostingLists } from './posting-list.ts';
import { Segment } from './segment.ts';
import { KEY_COUNT } from './trigrams.ts';

/** Writes a segment, list by list, in order of the keys. */
export class ListWriter {
  readonly #rowCount: number;
  readonly #keys: number[] = [];
  readonly #starts: number[] = [0];
  #bytes = new Uint8Array(KEY_COUNT);

  constructor(rowCount: number) {
    this.#rowCount = rowCount;
  }

  /** Adds the list of a key. */
  add(key: number, rows: Int32Array): void {
    const start = this.#starts.at(-1) ?? 0;
    const bytes = this.#roomFor(start + mostBytes(rows.length, this.#rowCount));
    this.#keys.push(key);
    this.#starts.push(encode(rows, this.#rowCount, bytes, start));
  }

  /** The segment with all lists that were added. */
  segment(born: number, slots: Float64Array): Segment {
    const bytes = this.#bytes.slice(0, this.#starts.at(-1));
    const lists = new PostingLists(this.#rowCount, new Uint32Array(this.#starts), bytes);
    return new Segment(born, slots, new Uint16Array(this.#keys), lists);
  }

  #roomFor(bytes: number): Uint8Array {
    if (bytes > this.#bytes.length) {
      const larger = new Uint8Array(2 * bytes);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

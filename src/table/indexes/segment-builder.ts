import { bitmapBytes, bytesOf, isDense, PostingLists, setBit } from './posting-lists.ts';
import { Segment } from './segment.ts';
import { KEY_COUNT, TRIGRAM_LENGTH, trigramKey } from './trigrams.ts';

/** Rows between two chances to pause: some ten microseconds of work. */
const ROWS_PER_STEP = 16;

/** Texts to index, by ascending slot. */
export interface Batch {
  readonly born: number;
  readonly slots: readonly number[];
  readonly texts: readonly string[];
}

/** A table of two numbers per key, side by side, since both are needed at once. */
const PER_KEY = 2;
/** The last row that had the key, from 1; 0 for none. */
const LAST_ROW = 0;
/** At first the bytes that the key's list needs, then the place of its next byte; for a bitmap, the complement of its start. */
const PLACE = 1;

const BITS = 32;

/** Builds segments, one at a time, in arrays that are used again for the next. */
export class SegmentBuilder {
  /** All zero when no segment is being built. */
  readonly #table = new Int32Array(KEY_COUNT * PER_KEY);
  /** A bit for each key that any row has, so that few rows need no look at all keys. */
  readonly #seen = new Int32Array(KEY_COUNT / BITS);
  /** The keys that are in a segment, and where their lists start in it. */
  readonly #keys = new Uint16Array(KEY_COUNT);
  readonly #starts = new Uint32Array(KEY_COUNT + 1);

  /**
   * Builds a segment: goes through the texts once for the lengths of the lists, and once for what is in them. The caller may pause
   * at each step. It may abandon the work at any, and the builder with it.
   */
  *build({ born, slots, texts }: Batch): Generator<void, Segment> {
    for (let row = 0; row < texts.length; row++) {
      this.#measure(row + 1, texts[row] ?? '');
      if (row % ROWS_PER_STEP === 0) yield;
    }
    const { keys, starts } = this.#layOut(texts.length);
    const bytes = new Uint8Array(starts.at(-1) ?? 0);
    for (let row = 0; row < texts.length; row++) {
      this.#write(row + 1, texts[row] ?? '', bytes);
      if (row % ROWS_PER_STEP === 0) yield;
    }
    this.#clear(keys);
    const lists = new PostingLists(texts.length, starts, bytes);
    return new Segment(born, new Float64Array(slots), keys, lists);
  }

  /** Notes the keys of a row, counted from 1, and the bytes that they will need. */
  #measure(row: number, text: string): void {
    const table = this.#table;
    const seen = this.#seen;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = TRIGRAM_LENGTH - 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const key = trigramKey(a, b, c);
      a = b;
      b = c;
      const entry = key * PER_KEY;
      const last = table[entry + LAST_ROW] ?? 0;
      if (last === row) continue;
      if (last === 0) seen[key >>> 5] = (seen[key >>> 5] ?? 0) | (1 << key);
      table[entry + LAST_ROW] = row;
      table[entry + PLACE] = (table[entry + PLACE] ?? 0) + bytesOf(row - last);
    }
  }

  /** Gives each key's list its place, in order of the keys. */
  #layOut(rowCount: number): { keys: Uint16Array; starts: Uint32Array } {
    const table = this.#table;
    const seen = this.#seen;
    const keys = this.#keys;
    const starts = this.#starts;
    let count = 0;
    let start = 0;
    for (let word = 0; word < seen.length; word++) {
      for (let bits = seen[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const key = (word + 1) * BITS - 1 - Math.clz32(bits & -bits);
        const entry = key * PER_KEY;
        const bytes = table[entry + PLACE] ?? 0;
        const dense = isDense(bytes, rowCount);
        keys[count] = key;
        starts[count++] = start;
        table[entry + LAST_ROW] = 0;
        table[entry + PLACE] = dense ? ~start : start;
        start += dense ? bitmapBytes(rowCount) : bytes;
      }
      seen[word] = 0;
    }
    starts[count] = start;
    return { keys: keys.slice(0, count), starts: starts.slice(0, count + 1) };
  }

  #clear(keys: Uint16Array): void {
    const table = this.#table;
    for (let i = 0; i < keys.length; i++) {
      const entry = (keys[i] ?? 0) * PER_KEY;
      table[entry + LAST_ROW] = 0;
      table[entry + PLACE] = 0;
    }
  }

  /** Writes a row, counted from 1, into the lists of its keys. */
  #write(row: number, text: string, bytes: Uint8Array): void {
    const table = this.#table;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = TRIGRAM_LENGTH - 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const entry = trigramKey(a, b, c) * PER_KEY;
      a = b;
      b = c;
      const last = table[entry + LAST_ROW] ?? 0;
      if (last === row) continue;
      table[entry + LAST_ROW] = row;
      let at = table[entry + PLACE] ?? 0;
      if (at < 0) {
        setBit(bytes, ~at, row - 1);
        continue;
      }
      let step = row - last;
      for (; step > 0x7f; step >>>= 7) bytes[at++] = (step & 0x7f) | 0x80;
      bytes[at++] = step;
      table[entry + PLACE] = at;
    }
  }
}

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
/** At first the bytes that the key's list needs, then the place of its next byte. */
const PLACE = 1;

/** Builds segments, one at a time, in arrays that are used again for the next. */
export class SegmentBuilder {
  readonly #table = new Int32Array(KEY_COUNT * PER_KEY);
  /** The distinct keys of one row after the other. */
  #rowKeys = new Uint16Array(KEY_COUNT);

  /** Builds a segment; the caller may pause at each step, and abandon the work at any. */
  *build({ born, slots, texts }: Batch): Generator<void, Segment> {
    this.#table.fill(0);
    const ends = new Uint32Array(texts.length);
    let end = 0;
    for (let row = 0; row < texts.length; row++) {
      end = this.#measure(row, texts[row] ?? '', end);
      ends[row] = end;
      if (row % ROWS_PER_STEP === 0) yield;
    }
    const { keys, starts } = this.#layOut();
    const postings = new Uint8Array(starts.at(-1) ?? 0);
    let start = 0;
    for (let row = 0; row < texts.length; row++) {
      this.#write(row, start, ends[row] ?? 0, postings);
      start = ends[row] ?? 0;
      if (row % ROWS_PER_STEP === 0) yield;
    }
    return new Segment(born, new Float64Array(slots), keys, starts, postings);
  }

  /** Notes the distinct keys of a row, from a place on, and the bytes that they will need. */
  #measure(row: number, text: string, from: number): number {
    const table = this.#table;
    const rowKeys = this.#roomFor(from + text.length);
    let end = from;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = TRIGRAM_LENGTH - 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const key = trigramKey(a, b, c);
      a = b;
      b = c;
      const entry = key * PER_KEY;
      const last = table[entry + LAST_ROW] ?? 0;
      if (last === row + 1) continue;
      table[entry + LAST_ROW] = row + 1;
      table[entry + PLACE] = (table[entry + PLACE] ?? 0) + bytesOf(row + 1 - last);
      rowKeys[end++] = key;
    }
    return end;
  }

  #roomFor(keys: number): Uint16Array {
    if (keys > this.#rowKeys.length) {
      const larger = new Uint16Array(2 * keys);
      larger.set(this.#rowKeys);
      this.#rowKeys = larger;
    }
    return this.#rowKeys;
  }

  #layOut(): { keys: Uint16Array; starts: Uint32Array } {
    const table = this.#table;
    const keys: number[] = [];
    const starts: number[] = [];
    let start = 0;
    for (let key = 0; key < KEY_COUNT; key++) {
      const entry = key * PER_KEY;
      const bytes = table[entry + PLACE] ?? 0;
      if (bytes === 0) continue;
      keys.push(key);
      starts.push(start);
      table[entry + LAST_ROW] = 0;
      table[entry + PLACE] = start;
      start += bytes;
    }
    starts.push(start);
    return { keys: new Uint16Array(keys), starts: new Uint32Array(starts) };
  }

  #write(row: number, from: number, end: number, postings: Uint8Array): void {
    const table = this.#table;
    const rowKeys = this.#rowKeys;
    for (let i = from; i < end; i++) {
      const entry = (rowKeys[i] ?? 0) * PER_KEY;
      let step = row + 1 - (table[entry + LAST_ROW] ?? 0);
      let at = table[entry + PLACE] ?? 0;
      for (; step > 0x7f; step >>>= 7) postings[at++] = (step & 0x7f) | 0x80;
      postings[at++] = step;
      table[entry + LAST_ROW] = row + 1;
      table[entry + PLACE] = at;
    }
  }
}

/** The bytes of a number at seven bits each. */
function bytesOf(step: number): number {
  return step < 0x80 ? 1 : step < 0x4000 ? 2 : step < 0x200000 ? 3 : 4;
}

import { foldedIfAscii } from '../text/case-folding.ts';
import { bitmapBytes, isDense, PostingLists, setBit, varintLength } from './posting-lists.ts';
import { Segment } from './segment.ts';
import { KEY_COUNT, TRIGRAM_LENGTH, trigramKey } from './trigrams.ts';

/** UTF-16 units of text per step: some ten microseconds of work. */
const UNITS_PER_STEP = 2048;
/** The fixed cost of a row, in UTF-16 units. */
const UNITS_PER_ROW = 16;

/** Texts to index, in ascending order of slot. */
export interface Batch {
  /** The sequence number of the segment. */
  readonly generation: number;
  readonly slots: readonly number[];
  /** Folded unless they are ASCII. */
  readonly texts: readonly string[];
}

/** Numbers per key in `#table`, side by side because they are used together. */
const PER_KEY = 3;
/** The last row that contained the key, from 1; 0 for none. */
const LAST_ROW = 0;
/**
 * First the length of the list of the key in bytes, then the offset of its next byte. For a
 * bitmap, the offset of its start, as a complement (negative).
 */
const OFFSET = 1;
/** The number of rows that contain the key. */
const COUNT = 2;

const BITS = 32;

/** The keys of a segment, with the offset and the row count of each list. */
interface ListLayout {
  readonly keys: Uint16Array;
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
}

/** Builds segments, one at a time. It reuses its arrays, which are large. */
export class SegmentBuilder {
  /** All zero between builds. */
  readonly #table = new Int32Array(KEY_COUNT * PER_KEY);
  /** A bit for each key that occurs, so that a small segment does not need a scan of all keys. */
  readonly #seen = new Int32Array(KEY_COUNT / BITS);
  /** Buffers for a `ListLayout`. */
  readonly #keys = new Uint16Array(KEY_COUNT);
  readonly #starts = new Uint32Array(KEY_COUNT + 1);
  readonly #counts = new Uint32Array(KEY_COUNT);

  /**
   * Builds a segment in two passes over the texts: the first measures the lists, the second writes
   * them. The caller may pause after each step, or abandon the build together with the builder.
   */
  *build({ generation, slots, texts }: Batch): Generator<void, Segment> {
    yield* inSteps(texts, (text, row) => this.#measure(row + 1, text));
    const { keys, starts, counts } = this.#layOut(texts.length);
    const bytes = new Uint8Array(starts.at(-1) ?? 0);
    yield* inSteps(texts, (text, row) => this.#write(row + 1, text, bytes));
    this.#clear(keys);
    const lists = new PostingLists(texts.length, starts, counts, bytes);
    return new Segment(generation, new Float64Array(slots), keys, lists);
  }

  /** Adds a row, counted from 1, to the measured lengths of the lists of its keys. */
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
      table[entry + OFFSET] = (table[entry + OFFSET] ?? 0) + varintLength(row - last);
      table[entry + COUNT] = (table[entry + COUNT] ?? 0) + 1;
    }
  }

  /** Assigns an offset to the list of each key, in order of the keys. */
  #layOut(rowCount: number): ListLayout {
    const table = this.#table;
    const seen = this.#seen;
    const keys = this.#keys;
    const starts = this.#starts;
    const counts = this.#counts;
    let count = 0;
    let start = 0;
    for (let word = 0; word < seen.length; word++) {
      for (let bits = seen[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const key = (word + 1) * BITS - 1 - Math.clz32(bits & -bits);
        const entry = key * PER_KEY;
        const bytes = table[entry + OFFSET] ?? 0;
        const dense = isDense(bytes, rowCount);
        keys[count] = key;
        counts[count] = table[entry + COUNT] ?? 0;
        starts[count++] = start;
        table[entry + LAST_ROW] = 0;
        table[entry + OFFSET] = dense ? ~start : start;
        start += dense ? bitmapBytes(rowCount) : bytes;
      }
      seen[word] = 0;
    }
    starts[count] = start;
    return {
      keys: keys.slice(0, count),
      starts: starts.slice(0, count + 1),
      counts: counts.slice(0, count),
    };
  }

  #clear(keys: Uint16Array): void {
    const table = this.#table;
    for (let i = 0; i < keys.length; i++) {
      const entry = (keys[i] ?? 0) * PER_KEY;
      table[entry + LAST_ROW] = 0;
      table[entry + OFFSET] = 0;
      table[entry + COUNT] = 0;
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
      let at = table[entry + OFFSET] ?? 0;
      if (at < 0) {
        setBit(bytes, ~at, row - 1);
        continue;
      }
      let gap = row - last;
      for (; gap > 0x7f; gap >>>= 7) bytes[at++] = (gap & 0x7f) | 0x80;
      bytes[at++] = gap;
      table[entry + OFFSET] = at;
    }
  }
}

/** Calls `work` for each text, folded, and yields after each `UNITS_PER_STEP` units. */
function* inSteps(
  texts: readonly string[],
  work: (text: string, row: number) => void,
): Generator<void> {
  let units = 0;
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] ?? '';
    work(foldedIfAscii(text) ?? text, row);
    units += text.length + UNITS_PER_ROW;
    if (units < UNITS_PER_STEP) continue;
    units = 0;
    yield;
  }
}

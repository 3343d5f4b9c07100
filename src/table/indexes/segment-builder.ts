import { bitmapBytes, isDense, PostingLists, setBit, varintLength } from './posting-lists.ts';
import { Segment } from './segment.ts';
import { KEY_COUNT, TRIGRAM_LENGTH, trigramKey } from './trigrams.ts';

/** Units of text between two chances to pause: some ten microseconds of work. */
const UNITS_PER_STEP = 2048;
/** What a row takes beside its text, as much as so many units of it. */
const UNITS_PER_ROW = 16;

/** Texts to index, by ascending slot. */
export interface Batch {
  readonly generation: number;
  readonly slots: readonly number[];
  readonly texts: readonly string[];
}

/** A table of three numbers per key, side by side, since they are needed at once. */
const PER_KEY = 3;
/** The last row that had the key, from 1; 0 for none. */
const LAST_ROW = 0;
/**
 * At first the bytes that the key's list needs, then the place of its next byte; for a bitmap, the
 * complement of its start.
 */
const OFFSET = 1;
/** How many rows have the key. */
const COUNT = 2;

const BITS = 32;

/** The keys of a segment, where their lists start, and how many rows these have. */
interface ListLayout {
  readonly keys: Uint16Array;
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
}

/** Builds segments, one at a time, in arrays that are used again for the next. */
export class SegmentBuilder {
  /** All zero when no segment is being built. */
  readonly #table = new Int32Array(KEY_COUNT * PER_KEY);
  /** A bit for each key that any row has, so that few rows need no look at all keys. */
  readonly #seen = new Int32Array(KEY_COUNT / BITS);
  /** The keys that are in a segment, where their lists start in it, and how many rows they have. */
  readonly #keys = new Uint16Array(KEY_COUNT);
  readonly #starts = new Uint32Array(KEY_COUNT + 1);
  readonly #counts = new Uint32Array(KEY_COUNT);

  /**
   * Builds a segment: goes through the texts once for the lengths of the lists, and once for what
   * is in them. The caller may pause at each step. It may abandon the work at any, and the builder
   * with it.
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
      table[entry + OFFSET] = (table[entry + OFFSET] ?? 0) + varintLength(row - last);
      table[entry + COUNT] = (table[entry + COUNT] ?? 0) + 1;
    }
  }

  /** Gives each key's list its place, in order of the keys. */
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

/** Does something with each text, and pauses each time that some units were done. */
function* inSteps(
  texts: readonly string[],
  work: (text: string, row: number) => void,
): Generator<void> {
  let units = 0;
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] ?? '';
    work(text, row);
    units += text.length + UNITS_PER_ROW;
    if (units < UNITS_PER_STEP) continue;
    units = 0;
    yield;
  }
}

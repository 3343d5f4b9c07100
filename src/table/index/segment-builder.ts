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

/** Builds segments, one at a time, in arrays that are used again for the next. */
export class SegmentBuilder {
  /** Per key, the number of the last row that had it, from 1; 0 for none. */
  readonly #lastRow = new Int32Array(KEY_COUNT);
  /** Per key, first the bytes its list needs, then the place of its next byte. */
  readonly #place = new Int32Array(KEY_COUNT);

  /** Builds a segment; the caller may pause at each step, and abandon the work at any. */
  *build({ born, slots, texts }: Batch): Generator<void, Segment> {
    this.#lastRow.fill(0);
    this.#place.fill(0);
    for (let row = 0; row < texts.length; row++) {
      this.#measure(row + 1, texts[row] ?? '');
      if (row % ROWS_PER_STEP === 0) yield;
    }
    const { keys, starts } = this.#layOut();
    const postings = new Uint8Array(starts.at(-1) ?? 0);
    this.#lastRow.fill(0);
    for (let row = 0; row < texts.length; row++) {
      this.#write(row + 1, texts[row] ?? '', postings);
      if (row % ROWS_PER_STEP === 0) yield;
    }
    return new Segment(born, Float64Array.from(slots), keys, starts, postings);
  }

  #measure(row: number, text: string): void {
    const lastRow = this.#lastRow;
    const bytes = this.#place;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = TRIGRAM_LENGTH - 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const key = trigramKey(a, b, c);
      a = b;
      b = c;
      const last = lastRow[key] ?? 0;
      if (last === row) continue;
      lastRow[key] = row;
      bytes[key] = (bytes[key] ?? 0) + bytesOf(row - last);
    }
  }

  #layOut(): { keys: Uint16Array; starts: Uint32Array } {
    const place = this.#place;
    const keys: number[] = [];
    const starts: number[] = [];
    let start = 0;
    for (let key = 0; key < KEY_COUNT; key++) {
      const bytes = place[key] ?? 0;
      if (bytes === 0) continue;
      keys.push(key);
      starts.push(start);
      place[key] = start;
      start += bytes;
    }
    starts.push(start);
    return { keys: Uint16Array.from(keys), starts: Uint32Array.from(starts) };
  }

  #write(row: number, text: string, postings: Uint8Array): void {
    const lastRow = this.#lastRow;
    const place = this.#place;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = TRIGRAM_LENGTH - 1; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const key = trigramKey(a, b, c);
      a = b;
      b = c;
      const last = lastRow[key] ?? 0;
      if (last === row) continue;
      lastRow[key] = row;
      let at = place[key] ?? 0;
      let step = row - last;
      for (; step > 0x7f; step >>>= 7) postings[at++] = step | 0x80;
      postings[at++] = step;
      place[key] = at;
    }
  }
}

/** The bytes of a number at seven bits each. */
function bytesOf(step: number): number {
  return step < 0x80 ? 1 : step < 0x4000 ? 2 : step < 0x200000 ? 3 : 4;
}

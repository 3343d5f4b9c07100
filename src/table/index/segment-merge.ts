import { ascending } from './ascending.ts';
import { ListWriter } from './list-writer.ts';
import type { Segment } from './segment.ts';
import { KEY_COUNT } from './trigrams.ts';

/** Keys between two chances to pause: in the largest segments, some ten microseconds of work. */
const KEYS_PER_STEP = 128;

/** A segment, and the numbers of those of its rows that are kept, ascending. */
export interface Part {
  readonly segment: Segment;
  readonly kept: readonly number[];
}

/**
 * Merges segments into one, without the texts: their lists, key by key, with the rows renumbered.
 * No slot may be kept in two of them. The caller may pause at each step, and abandon the work.
 */
export function* mergedSegments(born: number, parts: readonly Part[]): Generator<void, Segment> {
  const slots = ascending(parts.flatMap(slotsKept));
  const cursors = parts.map((part) => new ListCursor(part, slots));
  const rows = new Int32Array(slots.length);
  const writer = new ListWriter(slots.length);
  let keys = 0;
  for (const key of keysOf(cursors)) {
    let count = 0;
    for (const cursor of cursors) if (cursor.key === key) count = cursor.take(rows, count);
    if (count > 0) writer.add(key, inOrder(rows.subarray(0, count)));
    if (++keys % KEYS_PER_STEP === 0) yield;
  }
  return writer.segment(born, new Float64Array(slots));
}

/** All keys of some segments, in order, for as long as the lists of each are taken. */
function* keysOf(cursors: readonly ListCursor[]): Generator<number> {
  for (;;) {
    let least = KEY_COUNT;
    for (const { key } of cursors) if (key < least) least = key;
    if (least === KEY_COUNT) return;
    yield least;
  }
}

function slotsKept({ segment, kept }: Part): number[] {
  return kept.map((row) => segment.slots[row] ?? 0);
}

function inOrder(rows: Int32Array): Int32Array {
  for (let i = 1; i < rows.length; i++) {
    if ((rows[i - 1] ?? 0) > (rows[i] ?? 0)) return rows.sort();
  }
  return rows;
}

/** Takes one list of a segment after the other, without the rows that are not kept. */
class ListCursor {
  readonly #segment: Segment;
  #list = 0;
  /** The new number of each row; below zero for one that is not kept. */
  readonly #renumbered: Int32Array;
  readonly #decoded: Int32Array;

  constructor({ segment, kept }: Part, slots: readonly number[]) {
    this.#segment = segment;
    this.#decoded = new Int32Array(segment.slots.length);
    this.#renumbered = new Int32Array(segment.slots.length).fill(-1);
    let at = 0;
    for (const row of kept) {
      while ((slots[at] ?? 0) < (segment.slots[row] ?? 0)) at++;
      this.#renumbered[row] = at;
    }
  }

  /** The key of the next list; past the last list, a number above all keys. */
  get key(): number {
    return this.#segment.keys[this.#list] ?? KEY_COUNT;
  }

  /** Writes the rows of the list into an array from a place on, and returns where they end. */
  take(rows: Int32Array, from: number): number {
    const count = this.#segment.lists.decode(this.#list++, this.#decoded);
    let end = from;
    for (let i = 0; i < count; i++) {
      const row = this.#renumbered[this.#decoded[i] ?? 0] ?? -1;
      if (row >= 0) rows[end++] = row;
    }
    return end;
  }
}

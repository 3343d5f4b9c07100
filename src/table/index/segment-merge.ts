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
  const sorted = parts.toSorted((a, b) => firstSlot(a.segment) - firstSlot(b.segment));
  const segments = sorted.map(({ segment }) => segment);
  const areWhole = sorted.every(({ segment, kept }) => kept.length === segment.slots.length);
  return areWhole && doNotOverlap(segments)
    ? yield* joined(born, segments)
    : yield* interleaved(born, sorted);
}

function firstSlot(segment: Segment): number {
  return segment.slots[0] ?? 0;
}

function doNotOverlap(segments: readonly Segment[]): boolean {
  return segments.every((segment, i) => {
    const next = segments[i + 1];
    return !next || (segment.slots.at(-1) ?? 0) < firstSlot(next);
  });
}

/** The quick way, for rows that were only added: all stay, one segment after the other. */
function* joined(born: number, segments: readonly Segment[]): Generator<void, Segment> {
  const offsets: number[] = [];
  let size = 0;
  for (const { slots } of segments) {
    offsets.push(size);
    size += slots.length;
  }
  const slots = new Float64Array(size);
  for (const [i, segment] of segments.entries()) slots.set(segment.slots, offsets[i]);
  const writer = new ListWriter();
  const cursors = segments.map((segment) => new ListCursor(segment));
  let keys = 0;
  for (const key of keysOf(cursors)) {
    writer.begin(key);
    for (let i = 0; i < cursors.length; i++) {
      const cursor = cursors[i];
      if (cursor?.key === key) writer.addList(cursor.segment, cursor.list++, offsets[i] ?? 0);
    }
    if (++keys % KEYS_PER_STEP === 0) yield;
  }
  return writer.segment(born, slots);
}

/** The general way: some rows are dropped, or lie between those of another segment. */
function* interleaved(born: number, parts: readonly Part[]): Generator<void, Segment> {
  const slots = ascending(parts.flatMap(slotsKept));
  const cursors = parts.map((part) => new KeptCursor(part, slots));
  const rows = new Int32Array(slots.length);
  const writer = new ListWriter();
  let keys = 0;
  for (const key of keysOf(cursors)) {
    let count = 0;
    for (const cursor of cursors) if (cursor.key === key) count = cursor.take(rows, count);
    if (count > 0) {
      writer.begin(key);
      writer.add(inOrder(rows.subarray(0, count)));
    }
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

/** A place among the lists of a segment. */
class ListCursor {
  readonly segment: Segment;
  list = 0;

  constructor(segment: Segment) {
    this.segment = segment;
  }

  /** The key of the list; past the last list, a number above all keys. */
  get key(): number {
    return this.segment.keys[this.list] ?? KEY_COUNT;
  }
}

/** Takes the lists of a segment without the rows that are not kept. */
class KeptCursor extends ListCursor {
  /** The new number of each row; below zero for one that is not kept. */
  readonly #renumbered: Int32Array;
  readonly #decoded: Int32Array;

  constructor({ segment, kept }: Part, slots: readonly number[]) {
    super(segment);
    this.#decoded = new Int32Array(segment.slots.length);
    this.#renumbered = new Int32Array(segment.slots.length).fill(-1);
    let at = 0;
    for (const row of kept) {
      while ((slots[at] ?? 0) < (segment.slots[row] ?? 0)) at++;
      this.#renumbered[row] = at;
    }
  }

  /** Writes the rows of the list into an array from a place on, and returns where they end. */
  take(rows: Int32Array, from: number): number {
    const count = this.segment.decode(this.list++, this.#decoded);
    let end = from;
    for (let i = 0; i < count; i++) {
      const row = this.#renumbered[this.#decoded[i] ?? 0] ?? -1;
      if (row >= 0) rows[end++] = row;
    }
    return end;
  }
}

import { lowerBound } from './binary-search.ts';
import type { PostingLists } from './posting-lists.ts';
import { inBlocks, type SlotBlocks } from './slot-blocks.ts';

/**
 * Checking a candidate against its text costs about as much as decoding this many rows of a
 * posting list. So a list with more rows per removed candidate is not worth intersecting.
 */
const ROWS_PER_CHECK = 512;

/** Rows to read from lists per step: some ten microseconds of work. */
const ROWS_PER_PAUSE = 16_384;

/** The bytes of a segment without its arrays. */
const SEGMENT_BYTES = 1024;

/** The minimum share of candidates that the next list is expected to remove. */
const MIN_REMOVED = 0.05;

/**
 * An immutable part of a substring index: for each trigram key, the rows whose text contained it
 * when the segment was built. Rows are numbered within the segment, in order of slot.
 */
export class Segment {
  /**
   * A sequence number, assigned when the texts are read. If two segments list a slot, the later
   * one is up to date.
   */
  readonly generation: number;
  /** Ascending. */
  readonly slots: Float64Array;
  /** The keys, ascending and distinct. */
  readonly keys: Uint16Array;
  /** The posting list of each key. */
  readonly lists: PostingLists;

  constructor(generation: number, slots: Float64Array, keys: Uint16Array, lists: PostingLists) {
    this.generation = generation;
    this.slots = slots;
    this.keys = keys;
    this.lists = lists;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return SEGMENT_BYTES + this.slots.byteLength + this.keys.byteLength + this.lists.bytes;
  }

  has(slot: number): boolean {
    const { slots } = this;
    if (slot < (slots[0] ?? 0) || slot > (slots.at(-1) ?? -1)) return false;
    return slots[lowerBound(slots, slot)] === slot;
  }

  /** Returns the lists of some keys, the shortest first; none if any key occurs in no row. */
  listsOf(keys: readonly number[]): readonly number[] {
    const found: number[] = [];
    for (const key of keys) {
      const list = lowerBound(this.keys, key);
      if (this.keys[list] !== key) return [];
      found.push(list);
    }
    return found.sort((a, b) => this.lists.count(a) - this.lists.count(b));
  }

  /** Lists the slots of rows that may be in all of some lists; none if there are no lists. */
  *slotsIn(lists: readonly number[]): SlotBlocks {
    if (lists.length === 0) return;
    const slots = this.#intersection(lists);
    let read = 0;
    for (const list of lists) read += this.lists.count(list);
    if (read > ROWS_PER_PAUSE) yield [];
    yield* inBlocks(slots);
  }

  #intersection([shortest = 0, ...others]: readonly number[]): number[] {
    const { lists } = this;
    const rows = scratchFor(lists.count(shortest));
    let count = lists.decode(shortest, rows);
    let removed = 0.5;
    for (const list of others) {
      const isLong = lists.count(list) > count * ROWS_PER_CHECK * removed;
      if (isLong && !lists.isBitmap(list)) break;
      const common = lists.intersect(rows, count, list);
      // Neighbouring trigrams tend to occur in the same rows: if a list removed few candidates,
      // expect the next one to do the same.
      removed = Math.max(MIN_REMOVED, 1 - common / count);
      count = common;
    }
    const slots: number[] = [];
    for (let i = 0; i < count; i++) slots.push(this.slots[rows[i] ?? 0] ?? 0);
    return slots;
  }
}

/** Reused by all calls, because allocating an array takes longer than filling it. */
let scratch = new Int32Array(4096);

function scratchFor(rows: number): Int32Array {
  if (rows > scratch.length) scratch = new Int32Array(2 * rows);
  return scratch;
}

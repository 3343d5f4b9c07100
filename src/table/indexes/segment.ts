import { lowerBound } from './binary-search.ts';
import type { PostingLists } from './posting-lists.ts';
import { inBlocks, type SlotBlocks } from './slot-blocks.ts';

/**
 * Checking a candidate against its text costs about as much as decoding this many rows of a posting
 * list, so lists longer than that per candidate are not worth intersecting.
 */
const ROWS_PER_CHECK = 128;

/** Rows that may be read from lists between two chances to pause: some ten microseconds of work. */
const ROWS_PER_PAUSE = 16_384;

/** The bytes of the objects around what a segment holds. */
const SEGMENT_BYTES = 1024;

/** The smallest share of candidates that the next list is expected to remove. */
const MIN_REMOVED = 0.05;

/**
 * An immutable part of a substring index: for each trigram key, the rows whose text had it when the
 * segment was built. Rows are numbered within the segment, in order of their slots.
 */
export class Segment {
  /** Counts segments as their texts were read: of two that hold a slot, the later is right. */
  readonly generation: number;
  /** Ascending. */
  readonly slots: Float64Array;
  /** The distinct keys, ascending. */
  readonly keys: Uint16Array;
  /** The list of each key. */
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

  /** The lists of keys, the shortest first; none when a key has no row at all. */
  listsOf(keys: readonly number[]): readonly number[] {
    const found: number[] = [];
    for (const key of keys) {
      const list = lowerBound(this.keys, key);
      if (this.keys[list] !== key) return [];
      found.push(list);
    }
    return found.sort((a, b) => this.lists.count(a) - this.lists.count(b));
  }

  /** The slots of rows that may be in all of some lists; none where there is no list. */
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
      // Neighbouring trigrams tend to be in the same rows: what removed little will go on so.
      removed = Math.max(MIN_REMOVED, 1 - common / count);
      count = common;
    }
    const slots: number[] = [];
    for (let i = 0; i < count; i++) slots.push(this.slots[rows[i] ?? 0] ?? 0);
    return slots;
  }
}

/** Used again for each call: to make a new array takes longer than to fill it. */
let scratch = new Int32Array(4096);

function scratchFor(rows: number): Int32Array {
  if (rows > scratch.length) scratch = new Int32Array(2 * rows);
  return scratch;
}

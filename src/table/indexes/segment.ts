import { lowerBound } from './ascending.ts';
import type { PostingLists } from './posting-lists.ts';

/**
 * Checking a candidate against its text costs about as much as decoding this many rows of a posting list, so lists
 * longer than that per candidate are not worth intersecting.
 */
const ROWS_PER_CHECK = 128;

/** The smallest share of candidates that the next list is expected to remove. */
const LEAST_HOPE = 0.05;

/**
 * An immutable part of a substring index: for each trigram key, the rows whose text had it when the
 * segment was built. Rows are numbered within the segment, in order of their slots.
 */
export class Segment {
  /** Segments are numbered as their texts were read; of two that hold a slot, the later is right. */
  readonly born: number;
  /** Ascending. */
  readonly slots: Float64Array;
  /** The distinct keys, ascending. */
  readonly keys: Uint16Array;
  /** The list of each key. */
  readonly lists: PostingLists;

  constructor(born: number, slots: Float64Array, keys: Uint16Array, lists: PostingLists) {
    this.born = born;
    this.slots = slots;
    this.keys = keys;
    this.lists = lists;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.slots.byteLength + this.keys.byteLength + this.lists.bytes;
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
    return found.sort((a, b) => this.lists.estimate(a) - this.lists.estimate(b));
  }

  /** Appends to `found`, ascending, the slots of rows that may be in all of some lists. */
  collect([shortest, ...others]: readonly number[], found: number[]): void {
    if (shortest === undefined) return;
    const { lists } = this;
    const rows = roomFor(lists.estimate(shortest));
    let count = lists.decode(shortest, rows);
    let removed = 0.5;
    for (const list of others) {
      const isLong = lists.estimate(list) > count * ROWS_PER_CHECK * removed;
      if (isLong && !lists.isBitmap(list)) break;
      const common = lists.intersect(rows, count, list);
      // Neighbouring trigrams tend to be in the same rows: what removed little will go on so.
      removed = Math.max(LEAST_HOPE, 1 - common / count);
      count = common;
    }
    for (let i = 0; i < count; i++) found.push(this.slots[rows[i] ?? 0] ?? 0);
  }
}

/** An array that is used again and again, for what does not outlive a call: to make a new one takes longer than to fill it. */
let room = new Int32Array(4096);

function roomFor(rows: number): Int32Array {
  if (rows > room.length) room = new Int32Array(2 * rows);
  return room;
}

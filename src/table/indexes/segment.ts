import { lowerBound } from './binary-search.ts';
import { BitSet } from './bit-set.ts';
import { BITS } from './bits.ts';
import type { PostingLists } from './posting-lists.ts';
import { BLOCK_SIZE, type SlotBlocks } from './slot-blocks.ts';

/**
 * Checking a candidate against its text costs about as much as decoding this many rows of a
 * posting list. So lists with more rows per removed candidate are not worth intersecting.
 */
const ROWS_PER_CHECK = 256;

/** The maximum number of rows to read from the lists of a part other than the rarest one. */
const MAX_ROWS_READ = 0x40000;

/** The bytes of a segment without its arrays. */
const SEGMENT_BYTES = 1024;

/** The minimum share of candidates that the next lists are expected to remove. */
const MIN_REMOVED = 0.05;

/** What a segment consists of. */
export interface SegmentData {
  /**
   * A sequence number, assigned when the texts are read. If two segments list a slot, the later
   * one is up to date.
   */
  readonly generation: number;
  /** The slots of the rows, ascending. */
  readonly slots: Float64Array;
  /** The rows of each term, by its number in the dictionary. */
  readonly terms: PostingLists;
  /** The rows of each trigram key, for the terms that are not in the dictionary. */
  readonly trigrams: PostingLists;
}

/** A part of a search text, which a term of each matching row contains. */
export interface LookedUpPart {
  /** The terms of the dictionary that contain it. */
  readonly terms: readonly number[];
  /** The keys of its trigrams. */
  readonly keys: readonly number[];
  /** Whether it is all that is searched for, so that no other part has to follow it. */
  readonly isText: boolean;
  /** The rows of all its terms, as a share of all rows. */
  readonly share: number;
}

/**
 * An immutable part of a substring index: the rows of each term that their texts contained when it
 * was built. Rows are numbered within the segment, in order of slot.
 */
export class Segment {
  readonly generation: number;
  readonly slots: Float64Array;
  readonly terms: PostingLists;
  readonly trigrams: PostingLists;

  constructor({ generation, slots, terms, trigrams }: SegmentData) {
    this.generation = generation;
    this.slots = slots;
    this.terms = terms;
    this.trigrams = trigrams;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return SEGMENT_BYTES + this.slots.byteLength + this.terms.bytes + this.trigrams.bytes;
  }

  has(slot: number): boolean {
    const { slots } = this;
    if (slot < (slots[0] ?? 0) || slot > (slots.at(-1) ?? -1)) return false;
    return slots[lowerBound(slots, slot)] === slot;
  }

  /** Returns an upper bound for the rows that have some trigrams in terms that are not listed. */
  otherRowsWith(keys: readonly number[]): number {
    const [shortest] = this.#trigramLists(keys);
    return shortest === undefined ? 0 : this.trigrams.count(shortest);
  }

  /**
   * Whether each row that it lists for a part had all of the search text in its own text when the
   * segment was built.
   */
  isExactFor({ isText, keys }: LookedUpPart): boolean {
    return isText && this.otherRowsWith(keys) === 0;
  }

  /** Lists the slots of rows that may have all of some parts, of which the rarest comes first. */
  *slotsWith(parts: readonly LookedUpPart[]): SlotBlocks {
    const count = this.#findRows(parts);
    if (count <= BLOCK_SIZE) {
      if (count > 0) yield this.#slotsOf(found, 0, count);
    } else if (count < this.slots.length / BITS) {
      yield* this.#slotsOfList(found.slice(0, count));
    } else {
      const set = new BitSet();
      set.begin(this.slots.length);
      for (let i = 0; i < count; i++) set.add(found[i] ?? 0);
      yield* this.#slotsOfSet(set);
    }
  }

  *#slotsOfList(rows: Int32Array): SlotBlocks {
    for (let from = 0; from < rows.length; from += BLOCK_SIZE) {
      yield this.#slotsOf(rows, from, Math.min(rows.length, from + BLOCK_SIZE));
    }
  }

  *#slotsOfSet(set: BitSet): SlotBlocks {
    const rows = new Int32Array(BLOCK_SIZE);
    for (const count of set.fill(rows)) yield this.#slotsOf(rows, 0, count);
  }

  #slotsOf(rows: Int32Array, from: number, to: number): number[] {
    const slots: number[] = [];
    for (let i = from; i < to; i++) slots.push(this.slots[rows[i] ?? 0] ?? 0);
    return slots;
  }

  /**
   * Finds rows that may have all of some parts, ascending.
   *
   * @returns how many have been put into `found`
   */
  #findRows(parts: readonly LookedUpPart[]): number {
    const [rarest] = parts;
    const lists = rarest && this.#listsOf(rarest);
    if (!lists || lists.rows === 0) return 0;
    reserve(this.slots.length);
    let count = this.#decode(lists, found);
    let removed = 0.5;
    for (let i = 1; i < parts.length && count > 0; i++) {
      const part = parts[i];
      const most = Math.min(MAX_ROWS_READ, count * ROWS_PER_CHECK * removed);
      if (!part || part.share * this.slots.length > most) continue;
      const before = count;
      count = this.#intersect(found, before, this.#listsOf(part), most);
      // Parts of a text tend to occur in the same rows: if one removed few candidates, expect the
      // next one to do the same.
      removed = Math.max(MIN_REMOVED, 1 - count / before);
    }
    return count;
  }

  #listsOf({ terms, keys }: LookedUpPart): PartLists {
    const lists: number[] = [];
    let rows = 0;
    for (const term of terms) {
      const list = this.terms.find(term);
      if (list === undefined) continue;
      lists.push(list);
      rows += this.terms.count(list);
    }
    const trigrams = this.#trigramLists(keys);
    const [shortest] = trigrams;
    if (shortest !== undefined) rows += this.trigrams.count(shortest);
    return { lists, trigrams, rows };
  }

  /** Returns the lists of all keys, the shortest first; none if a key occurs in no row. */
  #trigramLists(keys: readonly number[]): readonly number[] {
    const { trigrams } = this;
    if (keys.length === 0 || trigrams.isEmpty) return NO_LISTS;
    const lists: number[] = [];
    for (const key of keys) {
      const list = trigrams.find(key);
      if (list === undefined) return NO_LISTS;
      lists.push(list);
    }
    return lists.sort((a, b) => trigrams.count(a) - trigrams.count(b));
  }

  /** Decodes the rows of some lists into an array; returns their number. */
  #decode(lists: PartLists, rows: Int32Array): number {
    const only = onlyList(lists);
    if (only !== undefined) return this.terms.decode(only, rows);
    this.#addTo(bits, lists);
    return bits.moveTo(rows);
  }

  /**
   * Intersects rows with those of some lists, in place, unless that means to read too many.
   *
   * @returns the number of rows in the result
   */
  #intersect(rows: Int32Array, count: number, lists: PartLists, most: number): number {
    const only = onlyList(lists);
    if (only !== undefined) return this.terms.intersect(rows, count, only);
    if (lists.rows > most) return count;
    this.#addTo(bits, lists);
    let common = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0;
      if (bits.has(row)) rows[common++] = row;
    }
    bits.clear();
    return common;
  }

  /** Begins a set with the rows of some lists. */
  #addTo(set: BitSet, { lists, trigrams: [shortest, ...longer] }: PartLists): void {
    const { terms, trigrams } = this;
    set.begin(this.slots.length);
    for (const list of lists) terms.addTo(set, list);
    if (shortest === undefined) return;
    const rows = new Int32Array(trigrams.count(shortest));
    let count = trigrams.decode(shortest, rows);
    for (const list of longer) count = trigrams.intersect(rows, count, list);
    for (let i = 0; i < count; i++) set.add(rows[i] ?? 0);
  }
}

/** The lists of a part in a segment. */
interface PartLists {
  /** Of terms: a row may be in any of them. */
  readonly lists: readonly number[];
  /** Of trigrams: a row that is in none of the others must be in all of these. */
  readonly trigrams: readonly number[];
  /** The number of rows to read from them. */
  readonly rows: number;
}

/** Returns the list of a term, if it is the only one. */
function onlyList({ lists, trigrams }: PartLists): number | undefined {
  return lists.length === 1 && trigrams.length === 0 ? lists[0] : undefined;
}

const NO_LISTS: readonly number[] = [];

/**
 * The rows found. Reused by all searches, because allocating takes longer than filling it. What a
 * search still needs after a pause is copied: as a list, or as a bitmap if that takes fewer bytes.
 */
let found = new Int32Array(4096);
const bits = new BitSet();

/** Makes room for as many rows as a segment has. */
function reserve(rowCount: number): void {
  if (rowCount > found.length) found = new Int32Array(rowCount);
}

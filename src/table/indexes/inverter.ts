import { BitSet } from './bit-set.ts';
import type { PostingLists } from './posting-lists.ts';
import { PostingListsWriter } from './posting-lists-writer.ts';

/** The number of keys: they are numbers of 16 bits. */
const KEYS = 0x10000;

/** The arrays are kept for the next build unless they have room for more pairs than this. */
const MAX_KEPT_PAIRS = 0x100000;

/** Pairs to sort, or to write, per step: some ten microseconds of work. */
const PAIRS_PER_STEP = 4096;

/**
 * Turns the keys of each row into the rows of each key, by a counting sort. Reused, because its
 * arrays are large.
 */
export class Inverter {
  /** Pairs of a key and a row, in the order of rows. */
  #keys = new Uint16Array(PAIRS_PER_STEP);
  #rows = new Int32Array(PAIRS_PER_STEP);
  #pairs = 0;
  /** The number of pairs of each key; all zero between builds. */
  readonly #counts = new Uint32Array(KEYS);
  readonly #seen = new BitSet();

  constructor() {
    this.#seen.begin(KEYS);
  }

  /** Adds a pair. Rows must ascend. */
  add(key: number, row: number): void {
    if (this.#pairs === this.#keys.length) this.#resize(2 * this.#pairs);
    this.#keys[this.#pairs] = key;
    this.#rows[this.#pairs++] = row;
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
    this.#seen.add(key);
  }

  /** Returns the rows of each key, and forgets all pairs. */
  *lists(rowCount: number): Generator<void, PostingLists> {
    const counts = this.#counts;
    const keys = new Int32Array(Math.min(KEYS, this.#pairs));
    const distinct = this.#seen.moveTo(keys);
    const sorted = yield* this.#sorted(keys, distinct);
    const writer = new PostingListsWriter(rowCount);
    let from = 0;
    let written = 0;
    for (let i = 0; i < distinct; i++) {
      const key = keys[i] ?? 0;
      const to = counts[key] ?? 0;
      counts[key] = 0;
      writer.append(key, sorted, from, to);
      written += to - from + 1;
      from = to;
      if (written < PAIRS_PER_STEP) continue;
      written = 0;
      yield;
    }
    this.#pairs = 0;
    if (this.#keys.length > MAX_KEPT_PAIRS) this.#resize(PAIRS_PER_STEP);
    return writer.lists();
  }

  /** Returns the rows of all pairs by key; leaves the end of those of each key in `#counts`. */
  *#sorted(keys: Int32Array, distinct: number): Generator<void, Int32Array> {
    const counts = this.#counts;
    let start = 0;
    for (let i = 0; i < distinct; i++) {
      const key = keys[i] ?? 0;
      const count = counts[key] ?? 0;
      counts[key] = start;
      start += count;
    }
    const sorted = new Int32Array(this.#pairs);
    for (let from = 0; from < this.#pairs; from += PAIRS_PER_STEP) {
      this.#place(from, Math.min(this.#pairs, from + PAIRS_PER_STEP), sorted);
      yield;
    }
    return sorted;
  }

  /** Puts the rows of some pairs in their places. */
  #place(from: number, to: number, sorted: Int32Array): void {
    const counts = this.#counts;
    for (let i = from; i < to; i++) {
      const key = this.#keys[i] ?? 0;
      const at = counts[key] ?? 0;
      sorted[at] = this.#rows[i] ?? 0;
      counts[key] = at + 1;
    }
  }

  /** Makes room for so many pairs, and keeps those that there are. */
  #resize(pairs: number): void {
    const keys = new Uint16Array(pairs);
    const rows = new Int32Array(pairs);
    keys.set(this.#keys.subarray(0, this.#pairs));
    rows.set(this.#rows.subarray(0, this.#pairs));
    this.#keys = keys;
    this.#rows = rows;
  }
}

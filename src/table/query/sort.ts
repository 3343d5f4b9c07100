import type { Compare } from '../schema/kinds.ts';
import { Heap } from './heap.ts';
import type { Pace } from './pace.ts';

/** Items in batches; undefined where a step is over, and there are none yet. */
export type Batches<T> = Generator<readonly T[] | undefined, void>;

/** The minimum and the maximum size of a run. Sorting one takes some tenths of a millisecond. */
const MIN_RUN = 32;
const MAX_RUN = 64;

/** The maximum number of items in a batch. */
export const BATCH_LENGTH = 512;

/** A sorted run, and the position of the next item in it. */
interface Run<T> {
  readonly items: readonly T[];
  next: number;
}

/**
 * Sorts items in steps, as in external sorting (Knuth, The Art of Computer Programming, 5.4): in
 * runs, which are merged as the result is read. Keeps at most about twice as many as are wanted.
 */
export class Sorter<T> {
  readonly #compare: Compare<T>;
  readonly #wanted: number;
  readonly #runLength: number;
  readonly #pace: Pace;
  #runs: (readonly T[])[] = [];
  #run: T[] = [];
  #kept = 0;
  /** Nothing after this item is wanted. */
  #last: T | undefined;

  /**
   * @param compare must never return 0 for different items
   * @param wanted how many of the first items to return
   */
  constructor(compare: Compare<T>, wanted: number, pace: Pace) {
    this.#compare = compare;
    this.#wanted = wanted;
    this.#runLength = Math.min(MAX_RUN, Math.max(MIN_RUN, 2 * wanted));
    this.#pace = pace;
  }

  /** The number of items in memory. */
  get kept(): number {
    return this.#kept + this.#run.length;
  }

  /** Adds items. Yields when a step is over. */
  *add(items: readonly T[]): Generator<undefined, void> {
    for (const item of items) {
      if (this.#last === undefined || this.#compare(item, this.#last) < 0) this.#run.push(item);
      if (this.#run.length >= this.#runLength) yield* this.#endRun();
      if (this.#pace.note()) yield;
    }
  }

  /** Returns the wanted items in order. */
  *sorted(): Batches<T> {
    yield* this.#endRun();
    yield* this.#merged();
  }

  *#endRun(): Generator<undefined, void> {
    const run = this.#run.sort(this.#compare);
    this.#run = [];
    this.#runs.push(run);
    this.#kept += run.length;
    if (this.#pace.note(run.length)) yield;
    if (this.#kept < 2 * this.#wanted) return;
    const first: T[] = [];
    for (const batch of this.#merged()) {
      for (const item of batch ?? []) first.push(item);
      yield;
    }
    this.#runs = [first];
    this.#kept = first.length;
    this.#last = first.at(-1);
  }

  /** Merges the runs up to the last wanted item. */
  *#merged(): Batches<T> {
    const heap = new Heap<Run<T>>((a, b) => {
      const [x, y] = [a.items[a.next], b.items[b.next]];
      return x === undefined || y === undefined ? 0 : this.#compare(x, y);
    });
    for (const items of this.#runs) {
      if (items.length > 0) heap.push({ items, next: 0 });
      if (this.#pace.note()) yield;
    }
    let batch: T[] = [];
    for (let left = this.#wanted; left > 0; left--) {
      const run = heap.first;
      const item = run?.items[run.next++];
      if (!run || item === undefined) break;
      if (run.next < run.items.length) heap.settleFirst();
      else heap.pop();
      batch.push(item);
      if (!this.#pace.note() && batch.length < BATCH_LENGTH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}

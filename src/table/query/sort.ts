import type { Pace } from './pace.ts';
import { type Compare, RunHeap } from './run-heap.ts';

/** Items in batches. An empty batch means only that a step is over. */
export type Batches<T> = Generator<readonly T[], void>;

/** Yielded when a step is over. */
const EMPTY_BATCH: readonly never[] = [];

/** The number of items in a run, which is sorted before it is merged with others. */
const RUN_LENGTH = 1024;

/** The maximum number of items in a batch. */
const BATCH_LENGTH = 512;

/**
 * Sorts items in steps, as in external sorting (Knuth, The Art of Computer Programming, 5.4): in
 * runs, which are merged as the result is read.
 */
export class Sorter<T> {
  readonly #compare: Compare<T>;
  readonly #wanted: number;
  readonly #pace: Pace;
  #kept = 0;

  /**
   * @param compare must never return 0
   * @param wanted how many of the first items to return
   */
  constructor(compare: Compare<T>, wanted: number, pace: Pace) {
    this.#compare = compare;
    this.#wanted = wanted;
    this.#pace = pace;
  }

  /** The number of items in memory: at most about twice as many as wanted. */
  get kept(): number {
    return this.#kept;
  }

  /** Sorts the items of some batches. */
  *sorted(batches: Batches<T>): Batches<T> {
    let runs: (readonly T[])[] = [];
    let run: T[] = [];
    let last: T | undefined;
    for (const batch of batches) {
      if (this.#pace.isOver) yield EMPTY_BATCH;
      for (const item of batch) {
        if (last === undefined || this.#compare(item, last) < 0) run.push(item);
        if (this.#pace.note()) yield EMPTY_BATCH;
      }
      if (run.length < RUN_LENGTH) continue;
      this.#kept += run.length;
      runs.push(yield* this.#sortedRun(run));
      run = [];
      if (this.#kept <= 2 * this.#wanted) continue;
      const first = yield* this.#first(runs);
      runs = [first];
      last = first.at(-1);
      this.#kept = first.length;
    }
    runs.push(yield* this.#sortedRun(run));
    yield* this.#merged(runs);
  }

  /** Returns the first `wanted` items of sorted runs, as one run. */
  *#first(runs: readonly (readonly T[])[]): Generator<readonly never[], T[]> {
    const first: T[] = [];
    for (const batch of this.#merged(runs)) {
      for (const item of batch) first.push(item);
      yield EMPTY_BATCH;
    }
    return first;
  }

  /** Merges sorted runs up to the first `wanted` items, batch by batch. */
  *#merged(runs: readonly (readonly T[])[]): Batches<T> {
    const heap = new RunHeap(this.#compare);
    for (const run of runs) {
      heap.add(run);
      if (this.#pace.note()) yield EMPTY_BATCH;
    }
    let batch: T[] = [];
    for (let left = this.#wanted; left > 0; left--) {
      const item = heap.take();
      if (item === undefined) break;
      batch.push(item);
      if (!this.#pace.note() && batch.length < BATCH_LENGTH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  /** Sorts a run by a bottom-up merge sort. */
  *#sortedRun(run: readonly T[]): Generator<readonly never[], readonly T[]> {
    let from = run.slice();
    let to = run.slice();
    for (let width = 1; width < run.length; width *= 2) {
      for (let start = 0; start < run.length; start += 2 * width) {
        yield* this.#mergeParts(from, to, start, width);
      }
      [from, to] = [to, from];
    }
    return from;
  }

  /** Merges two adjacent parts of `width` items each. */
  *#mergeParts(
    from: readonly T[],
    to: T[],
    start: number,
    width: number,
  ): Generator<readonly never[], void> {
    const middle = Math.min(start + width, from.length);
    const end = Math.min(middle + width, from.length);
    let left = start;
    let right = middle;
    for (let at = start; at < end; at++) {
      const a = left < middle ? from[left] : undefined;
      const b = right < end ? from[right] : undefined;
      if (b === undefined || (a !== undefined && this.#compare(a, b) < 0)) {
        if (a !== undefined) to[at] = a;
        left++;
      } else {
        to[at] = b;
        right++;
      }
      if (this.#pace.note()) yield EMPTY_BATCH;
    }
  }
}

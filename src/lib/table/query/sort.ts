import type { Compare } from '../schema/kinds.ts';
import type { Pace } from './pace.ts';

/** Items in batches; undefined where a step is over, and there are none yet. */
export type Batches<T> = Generator<T[] | undefined, void>;

/** The maximum number of items in a batch. */
export const BATCH_LENGTH = 512;

/** The units of work, which are comparisons, to take an item from a heap of any size. */
const WORK_PER_ITEM = 8;

/** Sorts items in steps: a binary heap, the last item on top, of as many first ones as wanted. */
export class Sorter<T> {
  readonly #heap: T[] = [];
  readonly #compare: Compare<T>;
  readonly #wanted: number;
  readonly #pace: Pace;
  readonly #cost: number;

  /**
   * @param compare must never return 0 for different items
   * @param cost the units of work to add an item
   */
  constructor(compare: Compare<T>, wanted: number, pace: Pace, cost = 1) {
    this.#compare = compare;
    this.#wanted = wanted;
    this.#pace = pace;
    this.#cost = cost;
  }

  /** The number of items that are kept. */
  get size(): number {
    return this.#heap.length;
  }

  /** Adds items. Yields when a step is over. */
  *add(items: readonly T[]): Generator<undefined, void> {
    for (const item of items) {
      const last = this.#heap[0];
      if (this.size < this.#wanted) this.#push(item);
      else if (last !== undefined && this.#compare(item, last) < 0) this.#replaceLast(item);
      if (this.#pace.note(this.#cost)) yield;
    }
  }

  /** Returns the wanted items in order. */
  *sorted(): Batches<T> {
    const items: T[] = [];
    for (let item = this.#heap.pop(); item !== undefined; item = this.#heap.pop()) {
      items.push(this.#heap[0] ?? item);
      if (this.size > 0) this.#replaceLast(item);
      if (this.#pace.note(WORK_PER_ITEM)) yield;
    }
    while (items.length > 0) yield items.splice(-BATCH_LENGTH).reverse();
  }

  #push(item: T): void {
    for (let at = this.#heap.push(item) - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfAfter(at, parent)) return;
      at = parent;
    }
  }

  /** Puts an item in the place of the last one, which is on top. */
  #replaceLast(item: T): void {
    this.#heap[0] = item;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isAfter(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfAfter(child, at)) return;
      at = child;
    }
  }

  #isAfter(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    return x !== undefined && y !== undefined && this.#compare(x, y) > 0;
  }

  #swapIfAfter(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined || this.#compare(x, y) <= 0) return false;
    this.#heap[a] = y;
    this.#heap[b] = x;
    return true;
  }
}

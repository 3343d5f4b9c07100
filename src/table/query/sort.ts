import type { Compare } from '../schema/kinds.ts';
import { Heap } from './heap.ts';
import type { Pace } from './pace.ts';

/** Items in batches; undefined where a step is over, and there are none yet. */
export type Batches<T> = Generator<T[] | undefined, void>;

/** The maximum number of items in a batch. */
export const BATCH_LENGTH = 512;

/** The units of work, which are comparisons, to take an item from a heap of any size. */
const WORK_PER_ITEM = 8;

/** Sorts items in steps: a heap, the last item on top, of as many first ones as are wanted. */
export class Sorter<T> extends Heap<T> {
  readonly #wanted: number;
  readonly #pace: Pace;

  /** @param compare must never return 0 for different items */
  constructor(compare: Compare<T>, wanted: number, pace: Pace) {
    super((a, b) => compare(b, a));
    this.#wanted = wanted;
    this.#pace = pace;
  }

  /** Adds items. Yields when a step is over. */
  *add(items: readonly T[]): Generator<undefined, void> {
    for (const item of items) {
      const { first } = this;
      if (this.size < this.#wanted) this.push(item);
      else if (first !== undefined && this.compare(first, item) < 0) this.replaceFirst(item);
      if (this.#pace.note()) yield;
    }
  }

  /** Returns the wanted items in order. */
  *sorted(): Batches<T> {
    const items: T[] = [];
    for (let last = this.pop(); last !== undefined; last = this.pop()) {
      items.push(last);
      if (this.#pace.note(WORK_PER_ITEM)) yield;
    }
    while (items.length > 0) {
      yield items.splice(-BATCH_LENGTH).reverse();
    }
  }
}

import type { Compare } from '../schema/kinds.ts';
import { LEAF_SLOTS } from '../slots.ts';
import type { Pace } from './pace.ts';

/** Batches of items. Yields undefined at the end of a step without items. */
export type Batches<T> = Generator<T[] | undefined, void>;

/** Sorts items in steps. Keeps the first `wanted` items in a binary heap, with the last on top. */
export class Sorter<T> {
  readonly #heap: T[] = [];
  /** The items taken from the heap, the last one first. */
  readonly #taken: T[] = [];
  readonly #compare: Compare<T>;
  readonly #wanted: number;
  readonly #pace: Pace;

  /** @param compare never returns 0 for different items */
  constructor(compare: Compare<T>, wanted: number, pace: Pace) {
    this.#compare = compare;
    this.#wanted = wanted;
    this.#pace = pace;
  }

  get size(): number {
    return this.#heap.length + this.#taken.length;
  }

  /** Adds items. Yields when a step is over. */
  *add(items: readonly T[]): Generator<undefined, void> {
    for (const item of items) {
      const last = this.#heap[0];
      let isOver = this.#pace.count();
      if (this.size < this.#wanted) this.#put(item, this.size);
      else if (last !== undefined && this.#compare(item, last) < 0) {
        this.#replaceLast(item);
        isOver = this.#pace.isOver();
      }
      if (isOver) yield;
    }
  }

  /** Takes all items from the heap, and yields them in order. Yields when a step is over. */
  *sorted(): Batches<T> {
    const items = this.#taken;
    for (let end = this.#heap.pop(); end !== undefined; end = this.#heap.pop()) {
      const [last] = this.#heap;
      items.push(last ?? end);
      // The item from the end of the heap takes the place of its last item, the top.
      if (last !== undefined) this.#replaceLast(end);
      if (this.#pace.isOver()) yield;
    }
    while (items.length > 0) yield items.splice(-LEAF_SLOTS).reverse();
  }

  #replaceLast(item: T): void {
    const heap = this.#heap;
    let free = 0;
    // Descends to a leaf with one comparison per level, because most items belong near a leaf.
    for (let child = 1; child < heap.length; child = 2 * free + 1) {
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      const isRight = right !== undefined && this.#compare(right, left) > 0;
      heap[free] = isRight ? right : left;
      free = isRight ? child + 1 : child;
    }
    this.#put(item, free);
  }

  /** Puts an item at a free index, or above. */
  #put(item: T, free: number): void {
    const heap = this.#heap;
    let at = free;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || this.#compare(item, above) < 0) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }
}

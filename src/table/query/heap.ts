import type { Compare } from '../schema/kinds.ts';

/** A binary heap: the least item comes first. */
export class Heap<T> {
  readonly #items: T[] = [];
  protected readonly compare: Compare<T>;

  constructor(compare: Compare<T>) {
    this.compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The least item; undefined if there is none. */
  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    items.push(item);
    for (let at = items.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  /** Removes the least item, and returns it. */
  pop(): T | undefined {
    const { first } = this;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replaceFirst(last);
    return first;
  }

  /** Puts an item in the place of the least one; or the same, if that has become greater. */
  replaceFirst(item: T): void {
    this.#items[0] = item;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#items[a], this.#items[b]];
    return x !== undefined && y !== undefined && this.compare(x, y) < 0;
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [x, y] = [this.#items[a], this.#items[b]];
    if (x === undefined || y === undefined || this.compare(x, y) >= 0) return false;
    this.#items[a] = y;
    this.#items[b] = x;
    return true;
  }
}

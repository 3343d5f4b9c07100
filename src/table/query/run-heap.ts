/** Compares two items: negative if `a` comes first, positive if `b` does. */
export type Compare<T> = (a: T, b: T) => number;

/** A sorted run, with the position of the next item in it. */
interface Run<T> {
  readonly items: readonly T[];
  next: number;
  first: T;
}

/** Merges sorted runs with a binary heap, ordered by the first remaining item of each run. */
export class RunHeap<T> {
  readonly #compare: Compare<T>;
  readonly #runs: Run<T>[] = [];

  constructor(compare: Compare<T>) {
    this.#compare = compare;
  }

  /** Adds a run. */
  add(items: readonly T[]): void {
    const [first] = items;
    if (first === undefined) return;
    this.#runs.push({ items, next: 1, first });
    this.#siftUp(this.#runs.length - 1);
  }

  /** Takes the smallest remaining item of all runs; undefined if none is left. */
  take(): T | undefined {
    const run = this.#runs[0];
    if (!run) return undefined;
    const taken = run.first;
    const first = run.items[run.next++];
    if (first !== undefined) run.first = first;
    else {
      const last = this.#runs.pop();
      if (last && last !== run) this.#runs[0] = last;
    }
    this.#siftDown();
    return taken;
  }

  #siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #siftDown(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#runs[a], this.#runs[b]];
    return x !== undefined && y !== undefined && this.#compare(x.first, y.first) < 0;
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [x, y] = [this.#runs[a], this.#runs[b]];
    if (!x || !y || this.#compare(x.first, y.first) >= 0) return false;
    this.#runs[a] = y;
    this.#runs[b] = x;
    return true;
  }
}

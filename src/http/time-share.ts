/** How much of each turn of the event loop the work may take, in milliseconds: less than any client would notice. */
const BUDGET_MS = 1;

/**
 * Pieces of work that share the event loop: together they get a millisecond of each of its turns, one after the
 * other in the order they came, so that whatever else happens in the process never waits longer for them.
 */
export class TimeShare {
  readonly #line: (() => void)[] = [];
  /** When the first piece of this turn was begun; undefined while there was none. */
  #begin: number | undefined;

  /** A piece of work would be done at once. */
  get free(): boolean {
    return this.#line.length === 0 && this.#hasTime();
  }

  /** Does a piece of work, which must be short: at once where this turn has time for it. */
  async do<T>(work: () => T): Promise<T> {
    if (!this.free) {
      await new Promise<void>((resolve) => this.#line.push(resolve));
    }
    try {
      return work();
    } finally {
      if (this.#hasTime()) this.#line.shift()?.();
    }
  }

  #hasTime(): boolean {
    if (this.#begin !== undefined) return performance.now() - this.#begin < BUDGET_MS;
    this.#begin = performance.now();
    setImmediate(() => {
      this.#begin = undefined;
      if (this.#line.length > 0 && this.#hasTime()) this.#line.shift()?.();
    });
    return true;
  }
}

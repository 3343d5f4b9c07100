/** How much of each turn of the event loop the work may take, in milliseconds: less than any client would notice. */
const BUDGET_MS = 2;

/**
 * Pieces of work that share the event loop: together they get a few milliseconds of each of its turns, one after
 * the other in the order they came, so that whatever else happens in the process never waits longer for them.
 */
export class TimeShare {
  readonly #line: (() => void)[] = [];
  #spent = 0;
  #turnEnds = false;

  /** Does a piece of work, which must be short: at once where this turn has time for it. */
  async do<T>(work: () => T): Promise<T> {
    if (this.#spent >= BUDGET_MS || this.#line.length > 0) {
      await new Promise<void>((resolve) => this.#line.push(resolve));
    }
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#spend(performance.now() - start);
    }
  }

  #spend(ms: number): void {
    this.#spent += ms;
    if (this.#spent < BUDGET_MS) this.#line.shift()?.();
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    setImmediate(() => {
      this.#turnEnds = false;
      this.#spent = 0;
      this.#line.shift()?.();
    });
  }
}

/** A number of places, and a line of limited length for those who find none free. */
export class Places {
  #free: number;
  readonly #lineLength: number;
  readonly #line = new Set<() => void>();

  constructor(places: number, lineLength: number) {
    this.#free = places;
    this.#lineLength = lineLength;
  }

  /** There is a place for whoever comes now. */
  get free(): boolean {
    return this.#free > 0;
  }

  /** Neither a place nor the line has room. */
  get full(): boolean {
    return this.#free === 0 && this.#line.size >= this.#lineLength;
  }

  /**
   * Takes a place.
   * @param leaving is told how to leave the line, which gives up.
   * @returns undefined where there is one now, else a promise of whether it was got.
   */
  take(leaving: (leave: () => void) => void): Promise<boolean> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => {
      const next = () => resolve(true);
      this.#line.add(next);
      leaving(() => {
        if (this.#line.delete(next)) resolve(false);
      });
    });
  }

  /** Gives a place back, to the first in the line. */
  release(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#line.delete(next);
    next();
  }
}

import { clock } from '../../../lib/clock.ts';

/** Waits that can all be ended early. */
export class Waits {
  readonly #ends = new Set<() => void>();
  #hasEnded = false;
  #isReset = false;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether a reset has ended them. */
  get isReset(): boolean {
    return this.#isReset;
  }

  /**
   * Waits for a time in milliseconds, or until all waits end.
   * @param onGone calls back when nobody waits any more
   */
  sleep(ms: number, onGone: (end: () => void) => void = () => {}): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clock.clear(timer);
        this.#ends.delete(end);
        resolve();
      };
      const timer = clock.setTimeout(end, ms);
      this.#ends.add(end);
      onGone(end);
    });
  }

  /** Ends all waits; later ones end at once. */
  end({ isReset = false } = {}): void {
    this.#hasEnded = true;
    this.#isReset = isReset;
    for (const end of this.#ends) end();
  }
}

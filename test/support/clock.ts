import type { TestContext } from 'node:test';
import { clock, type Timer } from '../../src/lib/clock.ts';
import { turns } from './raw.ts';

/**
 * A clock for the service that a test can advance. Time also passes as usual, but callbacks of
 * intervals run only when the test calls `advance`.
 */
export class ManualClock {
  readonly #intervals = new Map<Timer, () => void>();
  #skipped = 0;

  /** Lasts as long as the test. */
  constructor(test: TestContext) {
    const { now, clear } = clock;
    test.mock.method(clock, 'now', () => now() + this.#skipped);
    test.mock.method(clock, 'setInterval', (callback: () => void) => {
      const timer = setTimeout(() => {}, 0).unref();
      this.#intervals.set(timer, callback);
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      if (timer) this.#intervals.delete(timer);
      clear(timer);
    });
  }

  /** Advances the clock, and runs the callback of each interval one time. */
  async advance(ms: number): Promise<void> {
    this.skip(ms);
    for (const callback of [...this.#intervals.values()]) callback();
    await turns(20);
  }

  /** Advances by `ms` until `hasHappened` returns true. */
  async advanceUntil(ms: number, hasHappened: () => boolean): Promise<void> {
    while (!hasHappened()) await this.advance(ms);
  }

  /** Advances the clock without running callbacks. */
  skip(ms: number): void {
    this.#skipped += ms;
  }
}

/** Timers of the service that end only when a test calls `end`. */
export class ManualTimers {
  readonly #callbacks = new Map<Timer, () => void>();

  /**
   * Lasts as long as the test.
   * @param isHeld whether a timer of that many milliseconds is held; others end as usual
   */
  constructor(test: TestContext, isHeld: (ms: number) => boolean) {
    const { setTimeout: set, clear } = clock;
    test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      if (!isHeld(ms)) return set(callback, ms);
      const timer = set(() => {}, 0);
      this.#callbacks.set(timer, callback);
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      if (timer) this.#callbacks.delete(timer);
      clear(timer);
    });
  }

  /** Ends the held timers, and timers that their callbacks set, until none is left. */
  async end(): Promise<void> {
    await turns(1);
    while (this.#callbacks.size > 0) {
      const callbacks = [...this.#callbacks.values()];
      this.#callbacks.clear();
      for (const callback of callbacks) callback();
      await turns(5);
    }
  }
}

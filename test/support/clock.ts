import type { TestContext } from 'node:test';
import { clock, type Timer } from '../../src/lib/clock.ts';
import { turns } from './raw.ts';

/**
 * The clock of the service, which a test moves on: what the service does at intervals, it does when
 * the test says so, and not by itself. Otherwise time passes as ever.
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

  /** Moves on by so many milliseconds, and does what is done at intervals. */
  async advance(ms: number): Promise<void> {
    this.skip(ms);
    for (const callback of [...this.#intervals.values()]) callback();
    await turns(20);
  }

  /** Moves on again and again until something has happened. */
  async advanceUntil(ms: number, hasHappened: () => boolean): Promise<void> {
    while (!hasHappened()) await this.advance(ms);
  }

  /** Moves on by so many milliseconds. */
  skip(ms: number): void {
    this.#skipped += ms;
  }
}

/** Timers of the service that end when a test says so, and not by themselves. */
export class ManualTimers {
  readonly #callbacks = new Map<Timer, () => void>();

  /**
   * Lasts as long as the test.
   * @param isHeld says by its milliseconds which timer is held; others end as ever
   */
  constructor(test: TestContext, isHeld: (ms: number) => boolean = () => true) {
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

  /** Ends them, and those that are set thereupon, until there are none left. */
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

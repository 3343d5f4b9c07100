import type { TestContext } from 'node:test';
import { clock, type Timer } from '../../src/lib/clock.ts';
import { turns } from './raw.ts';

interface Interval {
  readonly periodMs: number;
  readonly callback: () => void;
  /** When it runs next, by the time that the test has advanced. */
  due: number;
}

/**
 * A clock for the service that stands still until a test advances it, however slow the machine is.
 * An interval runs when the test has advanced the clock by its period. Timeouts end as usual.
 */
export class ManualClock {
  readonly #intervals = new Map<Timer, Interval>();
  /** The time by which the test has advanced the clock, in milliseconds. */
  #advanced = 0;

  /** Lasts as long as the test. */
  constructor(test: TestContext) {
    const { clear } = clock;
    // Without fractions, so that differences are exact.
    const [now, time] = [Math.ceil(clock.now()), clock.time()];
    test.mock.method(clock, 'now', () => now + this.#advanced);
    test.mock.method(clock, 'time', () => time + this.#advanced);
    test.mock.method(clock, 'setInterval', (callback: () => void, periodMs: number) => {
      const timer = setTimeout(() => {}, 0).unref();
      this.#intervals.set(timer, { periodMs, callback, due: this.#advanced + periodMs });
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      if (timer) this.#intervals.delete(timer);
      clear(timer);
    });
  }

  /** Advances the clock step by step, and runs the callbacks of intervals when they are due. */
  async advance(ms: number): Promise<void> {
    const end = this.#advanced + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#advanced = Math.max(this.#advanced, next.due);
      next.due = this.#advanced + next.periodMs;
      next.callback();
      await turns(3);
    }
    this.#advanced = end;
    await turns(20);
  }

  /** Advances the clock as a busy processor does: intervals that become due run later, once. */
  skip(ms: number): void {
    this.#advanced += ms;
  }

  /** The interval that is due first, until a time. */
  #next(end: number): Interval | undefined {
    const [first] = [...this.#intervals.values()].sort((a, b) => a.due - b.due);
    return first && first.due <= end ? first : undefined;
  }
}

/** The timers of the service. Some end only when a test calls `end`. */
export class ManualTimers {
  /** The timers that have been set, and have neither ended nor been cleared. */
  readonly open = new Set<Timer>();
  readonly #held = new Map<Timer, () => void>();

  /**
   * Lasts as long as the test.
   * @param isHeld whether a timeout of that many milliseconds is held; others end as usual
   */
  constructor(test: TestContext, isHeld: (ms: number) => boolean = () => false) {
    const { setTimeout: set, setInterval: repeat, clear } = clock;
    test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      const end = () => {
        this.open.delete(timer);
        callback();
      };
      const timer = isHeld(ms) ? set(() => {}, 0) : set(end, ms);
      if (isHeld(ms)) this.#held.set(timer, end);
      this.open.add(timer);
      return timer;
    });
    test.mock.method(clock, 'setInterval', (callback: () => void, ms: number) => {
      const timer = repeat(callback, ms);
      this.open.add(timer);
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      if (timer) for (const timers of [this.open, this.#held]) timers.delete(timer);
      clear(timer);
    });
  }

  /** Ends the held timeouts, and those that their callbacks set, until none is left. */
  async end(): Promise<void> {
    await turns(1);
    while (this.#held.size > 0) {
      const ends = [...this.#held.values()];
      this.#held.clear();
      for (const end of ends) end();
      await turns(5);
    }
  }
}

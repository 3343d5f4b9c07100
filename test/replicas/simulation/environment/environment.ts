import { setImmediate } from 'node:timers';
import { type Clock, clock, type Timer } from '../../../../src/lib/clock.ts';
import { Random } from '../../../support/random.ts';

/** When all simulations begin, in milliseconds since 1970. */
const BEGINNING = Date.UTC(2026, 0, 1);

/** A simulated process: it can be paused and killed. */
export class Process {
  isDead = false;
  /** The events that it has missed while it is paused; undefined if it is running. */
  missed: Event[] | undefined;
}

/** Something that happens at a time. */
interface Event {
  time: number;
  /** Events of the same time happen in this order. */
  order: number;
  /** Undefined if it has happened, or will not. */
  run: (() => void) | undefined;
  readonly process: Process | undefined;
}

/** The duration of a turn of the event loop, in milliseconds. */
const TURN_MS = 0.01;

/**
 * The clock, timers and random numbers of a simulation (discrete events): time passes only between
 * events, and jumps to the next one. The same seed gives the same run, because all code of the
 * service takes its times, timers and random numbers from here.
 */
export class Environment {
  readonly random: Random;
  /** In milliseconds. */
  now = 0;
  /** The number of events so far. */
  events = 0;
  /** The events to come. The next one is the last element. */
  readonly #queue: Event[] = [];
  readonly #outside: Clock = { ...clock };
  #process: Process | undefined;
  #order = 0;
  #isEnded = false;
  #isRunning = false;

  /** Replaces the clock and the random numbers of the process until it is ended; one at a time. */
  constructor(seed: number) {
    this.random = new Random(seed);
    const ids = new Random(seed);
    const randomUUID = () => `${ids.below(2 ** 32)}-${ids.below(2 ** 32)}`;
    Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true });
    Object.assign(clock, this.#clock());
  }

  /** Runs no more events, and restores the clock and the random numbers. */
  end(): void {
    this.#isEnded = true;
    Object.assign(clock, this.#outside);
    Reflect.deleteProperty(crypto, 'randomUUID');
  }

  /** The process that runs now. */
  get process(): Process | undefined {
    return this.#process;
  }

  /** Lets something happen after a delay, in the process that runs now. */
  after(ms: number, run: () => void): Event {
    return this.afterIn(this.#process, ms, run);
  }

  /** Calls back after a delay, in a process, or outside any process. */
  afterIn(process: Process | undefined, ms: number, run: () => void): Event {
    const event = { time: this.now + Math.max(0, ms), order: this.#order++, run, process };
    this.#push(event);
    return event;
  }

  /** Waits for a time, in milliseconds, even if the current process ends. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.afterIn(undefined, ms, resolve));
  }

  /** Runs code as a process. */
  within<T>(process: Process | undefined, run: () => T): T {
    const before = this.#process;
    this.#process = process;
    try {
      return run();
    } finally {
      this.#process = before;
    }
  }

  /** Nothing happens in a process until it is resumed. */
  pause(process: Process): void {
    process.missed ??= [];
  }

  resume(process: Process): void {
    const { missed = [] } = process;
    process.missed = undefined;
    for (const event of missed) {
      event.time = this.now;
      event.order = this.#order++;
      this.#push(event);
    }
  }

  /** Nothing happens in a process any more. */
  kill(process: Process): void {
    process.isDead = true;
    process.missed = undefined;
  }

  /** A number from 0 to `end`, exclusive. */
  upTo(end: number): number {
    return (this.random.below(2 ** 24) / 2 ** 24) * end;
  }

  /** A random element; undefined if there are none. */
  pick<T>(all: readonly T[]): T | undefined {
    return all.length === 0 ? undefined : all[this.random.below(all.length)];
  }

  /** Whether something happens that has this probability. */
  chance(probability: number): boolean {
    return probability > 0 && this.upTo(1) < probability;
  }

  #push(event: Event): void {
    const { time, order } = event;
    const isLater = (other: Event) =>
      other.time > time || (other.time === time && other.order > order);
    this.#queue.splice(this.#queue.findLastIndex(isLater) + 1, 0, event);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#run);
  }

  /** Runs the next event. Node runs all microtasks after it, so it is over before the one after. */
  readonly #run = (): void => {
    const event = this.#isEnded ? undefined : this.#queue.pop();
    this.#isRunning = event !== undefined;
    if (event === undefined) return;
    setImmediate(this.#run);
    const { run, process } = event;
    if (run === undefined) return;
    this.now = event.time;
    if (process?.isDead === true) return;
    if (process?.missed !== undefined) {
      process.missed.push(event);
      return;
    }
    event.run = undefined;
    this.events++;
    // It stays the process of the microtasks.
    this.#process = process;
    run();
  };

  #clock(): Clock {
    const setTimeout = (callback: () => void, ms: number) => this.#timer(callback, ms, false);
    const setInterval = (callback: () => void, ms: number) => this.#timer(callback, ms, true);
    return {
      now: () => this.now,
      time: () => BEGINNING + Math.floor(this.now),
      setTimeout,
      setInterval,
      clear: (timer) => timer?.close(),
      setImmediate: (callback) => {
        this.after(TURN_MS, callback);
      },
      nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
    };
  }

  #timer(callback: () => void, ms: number, isRepeated: boolean): Timer {
    const process = this.#process;
    let event: Event;
    const begin = () => {
      event = this.afterIn(process, ms, () => {
        if (isRepeated) begin();
        callback();
      });
    };
    begin();
    const timer = {
      unref: () => timer,
      close: () => {
        event.run = undefined;
        return timer;
      },
    };
    // It has only the methods of a timer that `src/` calls.
    return timer as unknown as Timer;
  }
}

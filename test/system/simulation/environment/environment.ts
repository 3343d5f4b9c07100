import { setImmediate } from 'node:timers';
import { type Clock, clock, type Timer } from '../../../../src/lib/clock.ts';
import { Random } from '../../../support/random.ts';
import { type Event, EventQueue } from './event-queue.ts';

/** The number of events to run before other work of this process. */
const EVENTS_PER_TURN = 256;

/** When all simulations begin, in milliseconds since 1970. */
const BEGINNING = Date.UTC(2026, 0, 1);

/** A simulated process: it can be paused and killed. */
export class Process {
  readonly name: string;
  isDead = false;
  /** The events that it has missed while it is paused; undefined if it is running. */
  missed: ScheduledEvent[] | undefined;

  constructor(name: string) {
    this.name = name;
  }
}

interface ScheduledEvent extends Event {
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
  readonly seed: number;
  readonly random: Random;
  /** In milliseconds. */
  now = 0;
  /** The number of events so far. */
  events = 0;
  readonly #queue = new EventQueue<ScheduledEvent>();
  readonly #outside: { readonly clock: Clock; readonly random: () => number };
  #process: Process | undefined;
  #order = 0;
  #isEnded = false;
  #isRunning = false;

  /** Replaces the clock and the random numbers of the process until it is ended; one at a time. */
  constructor(seed: number) {
    this.seed = seed;
    this.random = new Random(seed);
    this.#outside = { clock: { ...clock }, random: Math.random };
    const ids = new Random(seed);
    Math.random = () => ids.below(2 ** 32) / 2 ** 32;
    Object.defineProperty(crypto, 'randomUUID', { value: () => uuidOf(ids), configurable: true });
    Object.assign(clock, this.#clock());
  }

  /** Runs no more events, and restores the clock and the random numbers. */
  end(): void {
    this.#isEnded = true;
    Object.assign(clock, this.#outside.clock);
    Math.random = this.#outside.random;
    Reflect.deleteProperty(crypto, 'randomUUID');
  }

  /** Lets something happen after a delay, in the process that runs now. */
  after(ms: number, run: () => void): Event {
    return this.afterIn(this.#process, ms, run);
  }

  /** Calls back after a delay, in a process, or outside any process. */
  afterIn(process: Process | undefined, ms: number, run: () => void): Event {
    const event = { time: this.now + Math.max(0, ms), order: this.#order++, run, process };
    this.#queue.push(event);
    this.#resume();
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
      this.#queue.push(event);
    }
    this.#resume();
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

  #resume(): void {
    if (this.#isRunning || this.#isEnded) return;
    this.#isRunning = true;
    setImmediate(this.#turn);
  }

  /** Node runs all microtasks after each immediate: so an event is over before the next one. */
  readonly #turn = (): void => {
    const count = this.#isEnded ? 0 : Math.min(this.#queue.size, EVENTS_PER_TURN);
    for (let i = 0; i < count; i++) setImmediate(this.#step);
    if (count > 0) setImmediate(this.#turn);
    else this.#isRunning = false;
  };

  readonly #step = (): void => {
    if (this.#isEnded) return;
    const event = this.#queue.pop();
    if (event?.run === undefined) return;
    // A test may let work take time.
    this.now = Math.max(this.now, event.time);
    const { process, run } = event;
    if (process?.isDead === true) return;
    if (process?.missed !== undefined) {
      process.missed.push(event);
      return;
    }
    this.events++;
    event.run = undefined;
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

function uuidOf(random: Random): ReturnType<typeof crypto.randomUUID> {
  const hex = Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  const [, a, b, c, d, e] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex) ?? [];
  return `${a}-${b}-${c}-${d}-${e}`;
}

/*
 * Waits that end: a test whose event does not come fails within two seconds, with a message, and
 * the tests after it run.
 */

import { type EventEmitter, once } from 'node:events';

/** Tests of other processes, and those of real time, wait longer. */
const NOT_QUICK = /\.long\.test\.ts$|\/test\/(?:system\/(?!program|load)|replicas\/etcd\/)/;

/** How long a test waits for one event, in milliseconds. */
export const PATIENCE_MS = NOT_QUICK.test(process.argv[1] ?? '') ? 50_000 : 2_000;

/** The maximum time that counts between two readings of a stopwatch, in milliseconds. */
const TICK_MS = 20;

// A test may replace the global ones.
const { setInterval, setImmediate, clearInterval } = globalThis;
const now = performance.now.bind(performance);

/** Measures a wait, without the time in which this process has waited for a processor. */
class Stopwatch {
  #ms = 0;
  #last = now();

  /** The time so far, in milliseconds. Must be read often. */
  read(): number {
    const time = now();
    this.#ms += Math.min(time - this.#last, TICK_MS);
    this.#last = time;
    return this.#ms;
  }
}

/**
 * Waits for a promise. @throws Error if it is pending for too long
 * @param what the awaited event, for the message
 */
export async function within<T>(
  what: string | (() => string),
  promise: Promise<T>,
  ms = PATIENCE_MS,
): Promise<T> {
  const stopwatch = new Stopwatch();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const check = () => {
      if (stopwatch.read() > ms) reject(tooLate(typeof what === 'string' ? what : what(), ms));
    };
    timer = setInterval(check, TICK_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearInterval(timer);
  }
}

/** Waits for an event. @throws Error if it does not come */
export function happens(emitter: EventEmitter, event: string) {
  return within(`the event ${event}`, once(emitter, event));
}

/** Waits, one turn of the event loop after the other, until a condition holds. @throws Error */
export async function turnsUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = PATIENCE_MS,
): Promise<void> {
  for (const stopwatch = new Stopwatch(); !(await holds()); ) {
    if (stopwatch.read() > ms) throw tooLate(what, ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function tooLate(what: string, ms: number): Error {
  return new Error(`not within ${ms / 1_000} s: ${what}`);
}

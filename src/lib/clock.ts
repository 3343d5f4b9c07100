import * as timers from 'node:timers';
import { loadModule } from './node-module.ts';

/** A timer that has been set. */
export type Timer = NodeJS.Timeout;

/** The time and timers that the service uses. */
export interface Clock {
  /** The time in milliseconds, from any origin. It never goes back. */
  now(): number;
  /** The time in milliseconds since 1970 (UTC), as the system has it. */
  time(): number;
  setTimeout(callback: () => void, ms: number): Timer;
  setInterval(callback: () => void, ms: number): Timer;
  /** Ends a timer of either kind. */
  clear(timer: Timer | undefined): void;
  /** Calls back in the next turn of the event loop. */
  setImmediate(callback: () => void): void;
  /** Calls back after the current operation, before the event loop goes on. */
  nextTick<A extends unknown[]>(callback: (...args: A) => void, ...args: A): void;
}

/**
 * The only source of time and timers in `src/`. It takes Node's own functions when it is loaded, so
 * it still works after a test environment replaces the globals. Simulations replace its functions.
 */
export const clock: Clock = ofNode();

/** Waits for a time, in milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimeout(resolve, ms));
}

/** Waits for the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => clock.setImmediate(resolve));
}

function ofNode(): Clock {
  const { setTimeout, setInterval, clearTimeout: clear, setImmediate } = timers;
  // An environment that has replaced the timers may have replaced `Date`, too. Otherwise the
  // global ones are Node's.
  const isOriginal = globalThis.setTimeout === setTimeout;
  const { performance } = isOriginal ? globalThis : loadModule('node:perf_hooks');
  const { nextTick } = isOriginal ? process : loadModule('node:process');
  const now = performance.now.bind(performance);
  const time = isOriginal ? Date.now : () => Math.trunc(performance.timeOrigin + now());
  return { now, time, setTimeout, setInterval, clear, setImmediate, nextTick };
}

import { overloaded } from '../core/overloaded.ts';
import type { Work } from '../core/work.ts';
import type { HeldMemory, Holder } from './held-memory.ts';

/** How long all work together may take in a turn of the event loop, in milliseconds. */
const TURN_MS = 1;

/** How long one piece of work may take before it is another one's turn, in milliseconds. */
const SLICE_MS = 0.5;

/** How much work there may be. */
export interface SchedulerLimits {
  /** Work that is accepted and not done; what comes on top is refused. */
  readonly maxWork: number;
  /** How long work may wait before it is begun, in milliseconds; then it is refused. */
  readonly maxWorkWait: number;
}

/** On whose behalf work is done. */
export interface Client {
  /** Whether it has gone, so that the work is given up. */
  readonly isGone: boolean;
}

/** Rejects the promise of work whose client has gone. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Work that was not done at once. */
interface Task extends Holder {
  readonly since: number;
  readonly bytes: number;
  /**
   * Goes on until the work is done or the time is up.
   * @returns whether it is over
   */
  advance(end: number): boolean;
  refuse(error: Error): void;
}

/**
 * Divides the time of the event loop: all work together gets a millisecond of each turn, so that
 * whatever else happens in the process never waits longer for it. Work that is new takes every
 * other slice, so what is short is done soon however much else there is (as in a multilevel
 * feedback queue); the rest takes turns. Where responses hold more memory than they may, only the
 * oldest work goes on, because the others would take still more.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits;
  readonly #memory: HeldMemory;
  /** Work that has had no slice yet, and work that has; each in the order of its turns. */
  readonly #new = new Set<Task>();
  readonly #begun = new Set<Task>();
  #lastWasNew = false;
  /** When this turn's time is up; undefined while none of it was used. */
  #turnEnd: number | undefined;

  constructor(limits: SchedulerLimits, memory: HeldMemory) {
    this.#limits = limits;
    this.#memory = memory;
  }

  /**
   * Does work: at once as far as this turn has time for it, the rest bit by bit.
   * @returns its result, or a promise of it that is rejected with what the work throws, with
   * ClientGoneError, or with a Problem `overloaded`
   * @throws Problem `overloaded`, or what the work throws
   */
  run<T>(work: Work<T>, client: Client): T | Promise<T> {
    const end = this.#new.size === 0 ? this.#sliceEnd() : undefined;
    if (end !== undefined) {
      const result = advance(work, end);
      if (result.done) return result.value;
    }
    if (this.#new.size + this.#begun.size >= this.#limits.maxWork) throw tooMuch();
    this.#sliceEnd();
    return new Promise((resolve, reject) => {
      const task = taskOf(work, client, resolve, reject);
      (end === undefined ? this.#new : this.#begun).add(task);
    });
  }

  /** When the next slice of this turn ends; undefined where the turn has no time left. */
  #sliceEnd(): number | undefined {
    const now = performance.now();
    if (this.#turnEnd === undefined) {
      this.#turnEnd = now + TURN_MS;
      setImmediate(this.#nextTurn);
    }
    return now < this.#turnEnd ? Math.min(this.#turnEnd, now + SLICE_MS) : undefined;
  }

  readonly #nextTurn = (): void => {
    this.#turnEnd = undefined;
    this.#refuseWhatWaitedTooLong();
    while (this.#new.size + this.#begun.size > 0) {
      const end = this.#sliceEnd();
      if (end === undefined) return;
      this.#advanceNext(end);
    }
  };

  #advanceNext(end: number): void {
    const task = this.#next();
    if (task === undefined) return;
    this.#lastWasNew = this.#new.delete(task);
    this.#begun.delete(task);
    if (task.advance(end)) this.#memory.remove(task);
    else {
      this.#begun.add(task);
      this.#memory.progress(task, task.bytes);
    }
  }

  #next(): Task | undefined {
    if (this.#memory.isExceeded && this.#begun.size > 0) return oldest(this.#begun);
    const isTurnOfNew = this.#new.size > 0 && !(this.#lastWasNew && this.#begun.size > 0);
    const [task] = isTurnOfNew ? this.#new : this.#begun;
    return task;
  }

  #refuseWhatWaitedTooLong(): void {
    const latest = performance.now() - this.#limits.maxWorkWait;
    for (const task of this.#new) {
      if (task.since > latest) return;
      this.#new.delete(task);
      task.refuse(tooMuch());
    }
  }
}

function taskOf<T>(
  work: Work<T>,
  client: Client,
  resolve: (value: T) => void,
  refuse: (error: unknown) => void,
): Task {
  return {
    since: performance.now(),
    get bytes() {
      return work.bytes ?? 0;
    },
    isWaiting: false,
    cut: () => {},
    refuse,
    advance: (end) => {
      try {
        if (client.isGone) throw new ClientGoneError('the client has gone');
        const result = advance(work, end);
        if (result.done) resolve(result.value);
        return result.done === true;
      } catch (error) {
        refuse(error);
        return true;
      }
    },
  };
}

function advance<T>(work: Work<T>, end: number): IteratorResult<unknown, T> {
  let result: IteratorResult<unknown, T>;
  do result = work.next();
  while (!result.done && performance.now() < end);
  return result;
}

function oldest(tasks: Iterable<Task>): Task | undefined {
  let first: Task | undefined;
  for (const task of tasks) if (first === undefined || task.since < first.since) first = task;
  return first;
}

function tooMuch(): Error {
  return overloaded('Too many long responses are in progress');
}

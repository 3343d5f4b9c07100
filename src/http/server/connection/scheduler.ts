import { clock } from '../../../clock.ts';
import { overloaded } from '../../core/overloaded.ts';
import type { Work } from '../../core/work.ts';
import type { ClientMemory, MemoryUser } from './client-memory.ts';

/** The least and the most time that all work together gets per turn of the event loop, in ms. */
const MIN_TURN_MS = 1;
const MAX_TURN_MS = 3;

/** The time slice of one piece of work, in milliseconds. */
const SLICE_MS = 0.5;

/** Limits of a scheduler. */
export interface SchedulerLimits {
  /** The most work that may be accepted and unfinished; more is refused. */
  readonly maxTasks: number;
  /** How long work may wait for its first slice, in milliseconds; then it is refused. */
  readonly maxTaskWait: number;
}

/** The client on whose behalf work runs. */
export interface Client {
  /** Whether it has disconnected, so that the work is abandoned. */
  readonly isGone: boolean;
}

/** Stands for the client of work that belongs to no request. */
const NOBODY: Client = { isGone: false };

/** Rejects the promise of work whose client has disconnected. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Work that could not be finished at once. */
interface Task extends MemoryUser {
  readonly since: number;
  /** Whether it may be refused, because nothing of the response has been sent. */
  readonly isRefusable: boolean;
  /** Whether it belongs to a request. */
  readonly isRequested: boolean;
  readonly bytes: number;
  /**
   * Continues until the work is done or the time is up.
   * @returns whether the work is finished
   */
  advance(end: number): boolean;
  refuse(error: unknown): void;
}

/**
 * Shares the time of the event loop: all work together gets a millisecond per turn, or half of the
 * turn when all else takes longer, up to a limit. New work gets every other slice, so short work
 * finishes soon however much else there is (as in a multilevel feedback queue); the rest takes
 * turns. While responses exceed the memory limit, only the oldest work continues, because other
 * work would need still more, and new work is refused unless it can be finished at once.
 */
export class Scheduler {
  readonly #limits: SchedulerLimits;
  readonly #memory: ClientMemory;
  /** Work that has had no slice yet, and work that has, each in order. */
  readonly #new = new Set<Task>();
  readonly #begun = new Set<Task>();
  /** What else waits for its turn, in order. */
  readonly #callbacks = new Set<() => void>();
  #lastWasNew = false;
  /** When this turn's time is up; undefined until some of it is used. */
  #turnEnd: number | undefined;
  #turnMs = MIN_TURN_MS;

  constructor(limits: SchedulerLimits, memory: ClientMemory) {
    this.#limits = limits;
    this.#memory = memory;
  }

  /**
   * Runs work: at once as far as this turn has time, then slice by slice.
   * @param client absent if the work belongs to no request
   * @returns the result, or a promise of it, rejected with what the work throws, with
   * ClientGoneError, or with a Problem `overloaded`
   * @throws Problem `overloaded`, or what the work throws
   */
  run<T>(work: Work<T>, client = NOBODY): T | Promise<T> {
    return this.#run(work, client, true);
  }

  /**
   * Runs more work for a response that has begun. It is never refused: half a response helps
   * nobody.
   * @returns the result, or a promise of it, rejected with what the work throws or ClientGoneError
   * @throws what the work throws
   */
  proceed<T>(work: Work<T>, client: Client): T | Promise<T> {
    return this.#run(work, client, false);
  }

  /** Calls back: at once if this turn has time, else in a later one. */
  inTurn(callback: () => void): void {
    if (this.#callbacks.size === 0 && this.#sliceEnd() !== undefined) callback();
    else this.#callbacks.add(callback);
  }

  /**
   * Refuses the oldest work of a request that may be refused, even if it has begun.
   * @returns whether there was any
   */
  refuseOldest(): boolean {
    const candidates = [...this.#begun, ...this.#new].filter(
      ({ isRefusable, isRequested }) => isRefusable && isRequested,
    );
    const task = oldest(candidates);
    if (task === undefined) return false;
    this.#begun.delete(task);
    this.#new.delete(task);
    this.#memory.remove(task);
    task.refuse(tooMuch());
    return true;
  }

  #run<T>(work: Work<T>, client: Client, isRefusable: boolean): T | Promise<T> {
    const end = this.#new.size === 0 ? this.#sliceEnd() : undefined;
    if (end !== undefined) {
      const result = advance(work, end);
      if (result.done) return result.value;
    }
    if (isRefusable && this.#isFull) throw tooMuch();
    this.#sliceEnd();
    return new Promise((resolve, reject) => {
      const task = new DeferredWork({ work, client, resolve, reject }, isRefusable);
      (end === undefined ? this.#new : this.#begun).add(task);
    });
  }

  /** Whether more work that takes its time must be refused. */
  get #isFull(): boolean {
    return this.#new.size + this.#begun.size >= this.#limits.maxTasks || this.#memory.isExceeded;
  }

  /** When the next slice of this turn ends; undefined if the turn has no time left. */
  #sliceEnd(): number | undefined {
    const now = clock.now();
    if (this.#turnEnd === undefined) {
      this.#turnEnd = now + this.#turnMs;
      clock.setImmediate(this.#nextTurn);
    }
    return now < this.#turnEnd ? Math.min(this.#turnEnd, now + SLICE_MS) : undefined;
  }

  readonly #nextTurn = (): void => {
    const now = clock.now();
    const elsewhere = now - (this.#turnEnd ?? now);
    this.#turnMs = Math.min(Math.max(elsewhere, MIN_TURN_MS), MAX_TURN_MS);
    this.#turnEnd = undefined;
    this.#refuseWhatWaitedTooLong();
    while (this.#new.size + this.#begun.size + this.#callbacks.size > 0) {
      const end = this.#sliceEnd();
      if (end === undefined) return;
      this.#callNext();
      this.#advanceNext(end);
    }
  };

  #callNext(): void {
    const [callback] = this.#callbacks;
    if (callback === undefined) return;
    this.#callbacks.delete(callback);
    callback();
  }

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
    const latest = clock.now() - this.#limits.maxTaskWait;
    for (const task of this.#new) {
      if (task.since > latest) return;
      if (!task.isRefusable) continue;
      this.#new.delete(task);
      task.refuse(tooMuch());
    }
  }
}

/** Work, its client, and the callbacks for its outcome. */
interface Assignment<T> {
  readonly work: Work<T>;
  readonly client: Client;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

class DeferredWork<T> implements Task {
  readonly since = clock.now();
  readonly isRefusable: boolean;
  readonly isRequested: boolean;
  readonly isWaiting = false;
  readonly isUnread = false;
  readonly isStreaming = false;
  /**
   * Released when the work is finished: V8 may find a task that has left its queue only in a full
   * collection, and would retain everything of the request until then.
   */
  #assignment: Assignment<T> | undefined;

  constructor(assignment: Assignment<T>, isRefusable: boolean) {
    this.#assignment = assignment;
    this.isRefusable = isRefusable;
    this.isRequested = assignment.client !== NOBODY;
  }

  get bytes(): number {
    return this.#assignment?.work.bytes ?? 0;
  }

  advance(end: number): boolean {
    if (this.#assignment === undefined) return true;
    const { work, client, resolve } = this.#assignment;
    try {
      if (client.isGone) throw new ClientGoneError('the client has gone');
      const result = advance(work, end);
      if (result.done !== true) return false;
      resolve(result.value);
      this.#assignment = undefined;
    } catch (error) {
      this.refuse(error);
    }
    return true;
  }

  refuse(error: unknown): void {
    this.#assignment?.reject(error);
    this.#assignment = undefined;
  }

  hasProgressed(): boolean {
    return false;
  }

  /** It waits for no client, so it is never cut. */
  cut(): void {}
}

function advance<T>(work: Work<T>, end: number): IteratorResult<unknown, T> {
  let result: IteratorResult<unknown, T>;
  do result = work.next();
  while (!result.done && clock.now() < end);
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

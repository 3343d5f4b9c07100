import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded } from '../../core/problem.ts';
import type { HttpSettings } from '../settings.ts';
import type { ClientMemory } from './client-memory.ts';

/** The minimum and maximum time that all tasks together get per turn of the event loop, in ms. */
const MIN_TURN_MS = 1;
const MAX_TURN_MS = 3;

/** The longest that one task gets at a time. */
const SLICE_MS = 0.5;

type Limits = Pick<HttpSettings, 'maxTasks' | 'maxTaskWait'>;

/** The client on whose behalf a task runs. */
export interface Client {
  /** Whether it has disconnected, so that the task is abandoned. */
  readonly isGone: boolean;
  /** Sets how much memory its steps take, in bytes. */
  setWorkBytes(bytes: number): void;
}

/** Rejects the promise of a task whose client has disconnected. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Steps that could not all be run at once. */
interface Task {
  readonly since: number;
  /** Whether it may be refused, because nothing of the response has been sent. */
  readonly isRefusable: boolean;
  /** Released at the end: V8 may keep a task that has left its queue until a full collection. */
  work: Work | undefined;
}

interface Work<R = unknown> {
  readonly steps: Steps<unknown, R>;
  readonly client: Client | undefined;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Shares the time of the event loop (README: "Long work"). Past the memory limit, only one task
 * continues, and new ones are refused unless they can be finished at once.
 */
export class Scheduler {
  readonly memory: ClientMemory;
  readonly #limits: Limits;
  /** Tasks that have had no slice yet, and tasks that have, each in order. */
  readonly #new = new Set<Task>();
  readonly #begun = new Set<Task>();
  /** What else waits for its turn, in order. */
  readonly #callbacks: (() => void)[] = [];
  #lastWasNew = false;
  /** When this turn's time is up; undefined until some of it is used. */
  #turnEnd: number | undefined;
  #turnMs = MIN_TURN_MS;

  constructor(limits: Limits, memory: ClientMemory) {
    this.#limits = limits;
    this.memory = memory;
  }

  /**
   * Runs steps, as a request does. A promise is rejected with ClientGoneError.
   * @param client absent for steps of no request
   * @param isRefusable false once a response has begun: half of one helps nobody
   */
  run<R>(steps: Steps<unknown, R>, client?: Client, isRefusable = true): R | Promise<R> {
    const end = this.#new.size === 0 ? this.#sliceEnd() : undefined;
    try {
      if (client?.isGone) throw new ClientGoneError('the client has gone');
      if (end !== undefined) {
        const last = advance(steps, end);
        if (last.done) return last.value;
      }
      const isFull = this.#new.size + this.#begun.size >= this.#limits.maxTasks;
      if (isRefusable && (isFull || this.memory.isExceeded)) throw tooMuch();
    } catch (error) {
      steps.close?.();
      throw error;
    }
    return new Promise<R>((resolve, reject) => {
      const work: Work<R> = { steps, client, resolve, reject };
      const task = { since: clock.now(), isRefusable, work };
      (end === undefined ? this.#new : this.#begun).add(task);
      client?.setWorkBytes(steps.bytes ?? 0);
    });
  }

  /** Calls back: at once if this turn has time, else in a later one. */
  inTurn(callback: () => void): void {
    if (this.#callbacks.length === 0 && this.#sliceEnd() !== undefined) callback();
    else this.#callbacks.push(callback);
  }

  /** Disconnects the client that has read nothing for longest. @returns whether there was one */
  disconnectUnread(): boolean {
    return this.memory.disconnectLongest(({ isUnread }) => isUnread);
  }

  /** Ends a response sent in steps, else refuses the oldest task. @returns whether there was one */
  shed(): boolean {
    if (this.memory.disconnectLongest(({ isSendingSteps }) => isSendingSteps)) return true;
    const task = this.#oldest(({ isRefusable, work }) => isRefusable && work?.client !== undefined);
    if (task !== undefined) this.#refuse(task);
    return task !== undefined;
  }

  #refuse(task: Task): void {
    this.#new.delete(task);
    this.#begun.delete(task);
    fail(task, tooMuch());
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
    while (this.#new.size + this.#begun.size + this.#callbacks.length > 0) {
      const end = this.#sliceEnd();
      if (end === undefined) return;
      this.#callbacks.shift()?.();
      this.#advanceNext(end);
    }
  };

  #advanceNext(end: number): void {
    const task = this.#next();
    if (task?.work === undefined) return;
    const { steps, client, resolve } = task.work;
    this.#lastWasNew = this.#new.delete(task);
    this.#begun.delete(task);
    try {
      if (client?.isGone) throw new ClientGoneError('the client has gone');
      const last = advance(steps, end);
      if (last.done) {
        task.work = undefined;
        resolve(last.value);
      } else {
        this.#begun.add(task);
        client?.setWorkBytes(steps.bytes ?? 0);
      }
    } catch (error) {
      fail(task, error);
    }
  }

  #next(): Task | undefined {
    if (this.memory.isExceeded && this.#begun.size > 0) {
      // A response that has begun comes first, as another takes more memory.
      const response = this.#oldest(({ isRefusable }) => !isRefusable);
      return response ?? this.#oldest((task) => this.#begun.has(task));
    }
    const isTurnOfNew = this.#new.size > 0 && !(this.#lastWasNew && this.#begun.size > 0);
    const [task] = isTurnOfNew ? this.#new : this.#begun;
    return task;
  }

  #oldest(isWanted: (task: Task) => boolean): Task | undefined {
    const wanted = [...this.#begun, ...this.#new].filter(isWanted);
    return wanted.sort((one, other) => one.since - other.since)[0];
  }

  #refuseWhatWaitedTooLong(): void {
    const latest = clock.now() - this.#limits.maxTaskWait;
    for (const task of this.#new) {
      if (task.since > latest) return;
      if (task.isRefusable) this.#refuse(task);
    }
  }
}

/** Runs steps until the time is up, but at least one. */
function advance<R>(steps: Steps<unknown, R>, end: number): IteratorResult<unknown, R> {
  let step: IteratorResult<unknown, R>;
  do step = steps.next();
  while (!step.done && clock.now() < end);
  return step;
}

function fail(task: Task, error: unknown): void {
  task.work?.steps.close?.();
  task.work?.reject(error);
  task.work = undefined;
}

function tooMuch(): Error {
  return overloaded('Too many long responses are in progress');
}

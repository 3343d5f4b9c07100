import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded } from '../../core/problem.ts';
import type { ClientMemory } from './client-memory.ts';

type Memory = Pick<ClientMemory, 'isExceeded' | 'add'>;

/** The minimum and maximum time that all tasks together get per turn of the event loop, in ms. */
const MIN_TURN_MS = 1;
const MAX_TURN_MS = 3;

/** The longest slice of time for one task, in milliseconds. */
const SLICE_MS = 0.5;

/** The client on whose behalf a task runs. */
export interface Client {
  /** Whether it has disconnected, so that the task is abandoned. */
  readonly isDisconnected: boolean;
  /** Whether its response has begun. Then a task is not refused, as half a response is useless. */
  readonly isBegun: boolean;
}

/** Rejects the promise of a task whose client has disconnected. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('the client has gone');
  }
}

/** Steps that need more than one slice of time. */
interface Task<R = unknown> {
  readonly steps: Steps<unknown, R>;
  readonly client: Client | undefined;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Shares the time of the event loop among long work (README: "Long work"). */
export class Scheduler {
  readonly #maxTasks: number;
  readonly #memory: Memory;
  /** Queues of tasks that have had no slice yet, and of begun tasks. */
  readonly #new: Task[] = [];
  readonly #begun: Task[] = [];
  /** Callbacks that wait for time, in order. */
  readonly #callbacks: (() => void)[] = [];
  #lastWasNew = false;
  /** The end of this turn's time; undefined before the first use of this turn. */
  #turnEnd: number | undefined;
  #turnMs = MIN_TURN_MS;

  /** @param memory if it is exceeded, `run` refuses new tasks that do not end at once */
  constructor(maxTasks: number, memory: Memory) {
    this.#maxTasks = maxTasks;
    this.#memory = memory;
  }

  /**
   * Runs steps as `Request.run` does. If the client disconnects, the promise is rejected with
   * ClientGoneError.
   * @param client absent for steps that do not belong to a request
   * @throws Problem `overloaded`
   */
  run<R>(steps: Steps<unknown, R>, client?: Client): R | Promise<R> {
    const end = this.#new.length === 0 ? this.#sliceEnd() : undefined;
    try {
      if (client?.isDisconnected) throw new ClientGoneError();
      if (end !== undefined) {
        const last = advance(steps, end);
        if (last.done) return last.value;
      }
      const isFull = this.#new.length + this.#begun.length >= this.#maxTasks;
      if (!client?.isBegun && (isFull || this.#memory.isExceeded)) {
        throw overloaded('Too many long requests are waiting');
      }
    } catch (error) {
      steps.close?.();
      throw error;
    }
    return new Promise<R>((resolve, reject) => {
      const task: Task<R> = { steps, client, resolve, reject };
      (end === undefined ? this.#new : this.#begun).push(task);
    });
  }

  /** Calls back now if this turn of the event loop has time left, else in a later turn. */
  runCallback(callback: () => void): void {
    if (this.#callbacks.length === 0 && this.#sliceEnd() !== undefined) callback();
    else this.#callbacks.push(callback);
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
    // Tasks get as much time as everything else took since the end of their last turn.
    const otherMs = now - (this.#turnEnd ?? now);
    this.#turnMs = Math.min(Math.max(otherMs, MIN_TURN_MS), MAX_TURN_MS);
    this.#turnEnd = undefined;
    while (this.#new.length + this.#begun.length + this.#callbacks.length > 0) {
      const end = this.#sliceEnd();
      if (end === undefined) return;
      this.#callbacks.shift()?.();
      this.#advanceNext(end);
    }
  };

  /** Gives a slice to the next task. New tasks and tasks that have begun alternate. */
  #advanceNext(end: number): void {
    this.#lastWasNew = this.#new.length > 0 && !(this.#lastWasNew && this.#begun.length > 0);
    const task = (this.#lastWasNew ? this.#new : this.#begun).shift();
    if (task === undefined) return;
    const { steps, client, resolve, reject } = task;
    const { bytes = 0 } = steps;
    try {
      if (client?.isDisconnected) throw new ClientGoneError();
      const last = advance(steps, end);
      if (last.done) resolve(last.value);
      else this.#begun.push(task);
      this.#memory.add(Math.max(0, (steps.bytes ?? 0) - bytes));
    } catch (error) {
      steps.close?.();
      reject(error);
    }
  }
}

/** Runs one step, then more until `end`. */
function advance<R>(steps: Steps<unknown, R>, end: number): IteratorResult<unknown, R> {
  let step: IteratorResult<unknown, R>;
  do step = steps.next();
  while (!step.done && clock.now() < end);
  return step;
}

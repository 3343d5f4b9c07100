import { clock } from '../../clock.ts';
import type { Steps } from '../../steps.ts';
import type { ContentParts } from '../messages/response.ts';
import { Queue } from './queue.ts';

/** The time of all tasks in a turn of the event loop, in milliseconds. */
const TURN_MS = 2;

/** The time of one task at a time, in milliseconds. */
const SLICE_MS = 0.5;

/** The time of short callbacks in a turn, in milliseconds. */
const SOON_MS = 1;

/**
 * While connections are accepted, no task runs for this many turns per millisecond that tasks took,
 * up to the maximum.
 */
const PAUSE_TURNS_PER_MS = 64;
const MAX_PAUSE_TURNS = 512;

/** The request that a task belongs to. It has one task in the queue at most. */
export interface TaskOwner {
  /** @throws ClientGoneError if it has disconnected, or the Problem for which its work has to end */
  throwIfCancelled(): void;
  /** While a task waits, removes it from the queue. The owner calls it when its client has gone. */
  removeTask: (() => void) | undefined;
}

/** Rejects the promise of a task whose client has disconnected. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('the client has gone');
  }
}

/** A task in the queue. One that was removed keeps nothing in memory until its turn. */
interface QueuedTask {
  /** Advances a task until a time. @returns whether it has ended */
  advance: ((end: number) => boolean) | undefined;
}

/** A callback in the queue for the next turn; undefined if it was cancelled. */
interface Callback {
  call: (() => void) | undefined;
}

/** Shares the time of the event loop among long work (README: "Long work"). */
export class Scheduler {
  readonly #tasks = new Queue<QueuedTask>();
  /** The callbacks for the next turn. */
  readonly #soon = new Queue<Callback>();
  /** The end of the time that tasks have in this turn. */
  #turnEnd = 0;
  /** Whether `#nextTurn` will be called. */
  #isScheduled = false;
  /** Whether a connection was accepted in this turn. */
  #isAccepting = false;
  /** The number of turns without a task that are still due, if connections are accepted in them. */
  #pauseTurns = 0;

  /**
   * Event: a connection was accepted. Tasks then have hardly any time in the next turn, because Node
   * accepts one connection per turn, and others may be waiting.
   */
  recordConnection(): void {
    this.#beginTurn();
    this.#isAccepting = true;
  }

  /**
   * Runs steps as `Request.run` does. If the client disconnects, the promise is rejected with
   * ClientGoneError.
   * @param owner absent for steps that do not belong to a request
   */
  async run<R>(steps: Steps<unknown, R>, owner?: TaskOwner): Promise<R> {
    const advance = (end: number) => {
      owner?.throwIfCancelled();
      let step: IteratorResult<unknown, R>;
      do step = steps.next();
      while (!step.done && clock.now() < end);
      return step;
    };
    try {
      const end = this.#sliceEnd();
      const first = end === undefined ? undefined : advance(end);
      return first?.done ? first.value : await this.#queue(advance, owner);
    } catch (error) {
      steps.close?.();
      throw error;
    }
  }

  /**
   * Makes a job, and runs it for one slice of time, in case its result is short.
   * @returns the job; undefined, and closed, if it has not ended or its result is long
   */
  async tryShort<W extends ContentParts>(make: () => W, owner: TaskOwner): Promise<W | undefined> {
    const end = this.#sliceEnd();
    if (end !== undefined) return runShort(make, owner, end);
    const attempt = (end: number) => ({ done: true, value: runShort(make, owner, end) }) as const;
    return this.#queue(attempt, owner);
  }

  /** Queues a task. @param attempt advances it until a time, and returns its value at its end */
  #queue<R>(attempt: (end: number) => IteratorResult<unknown, R>, owner?: TaskOwner): Promise<R> {
    return new Promise((resolve, reject) => {
      const task: QueuedTask = {
        advance(end) {
          try {
            const step = attempt(end);
            if (!step.done) return false;
            resolve(step.value);
          } catch (error) {
            reject(error);
          }
          if (owner !== undefined) owner.removeTask = undefined;
          return true;
        },
      };
      if (owner !== undefined) {
        owner.removeTask = () => {
          task.advance = undefined;
          reject(new ClientGoneError());
        };
      }
      this.#tasks.push(task);
    });
  }

  /**
   * Calls back in the next turn, or in a later one if callbacks before it take a millisecond.
   * @returns a function that cancels it, after which nothing refers to the callback
   */
  callSoon(call: () => void): () => void {
    const callback: Callback = { call };
    this.#beginTurn();
    this.#soon.push(callback);
    return () => {
      callback.call = undefined;
    };
  }

  /** @param ms the time for callbacks; at least one is called */
  #callBack(ms: number): void {
    const end = clock.now() + ms;
    for (let next = this.#soon.shift(); next; next = this.#soon.shift()) {
      const { call } = next;
      if (call === undefined) continue;
      // The function that cancels it may be kept for long.
      next.call = undefined;
      call();
      if (clock.now() >= end) break;
    }
  }

  /** When a slice that begins now ends; undefined if this turn has no time left. */
  #sliceEnd(): number | undefined {
    this.#beginTurn();
    const now = clock.now();
    return now < this.#turnEnd ? Math.min(this.#turnEnd, now + SLICE_MS) : undefined;
  }

  #beginTurn(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#turnEnd = clock.now() + TURN_MS;
    clock.setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    const isAccepting = this.#isAccepting;
    this.#isScheduled = false;
    this.#isAccepting = false;
    if (this.#soon.length > 0) this.#callBack(isAccepting ? 0 : SOON_MS);
    if (this.#tasks.length === 0 && this.#soon.length === 0 && !isAccepting) return;
    this.#beginTurn();
    if (isAccepting) {
      // No time is left, so that one task ends the turn.
      this.#turnEnd = 0;
      if (this.#pauseTurns-- > 0) return;
    }
    const start = clock.now();
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) {
      const hasEnded = task.advance?.(clock.now() + SLICE_MS) ?? true;
      // Back to the end of the queue. This loop may reach it again in this turn.
      if (!hasEnded) this.#tasks.push(task);
      if (clock.now() >= this.#turnEnd) break;
    }
    this.#pauseTurns = Math.min((clock.now() - start) * PAUSE_TURNS_PER_MS, MAX_PAUSE_TURNS);
  };
}

/** Makes a job, and runs it until a time. @returns the job, if it has ended with a short result */
function runShort<W extends ContentParts>(
  make: () => W,
  owner: TaskOwner,
  end: number,
): W | undefined {
  owner.throwIfCancelled();
  const job = make();
  let isShort = false;
  try {
    let step: IteratorResult<unknown, void>;
    do step = job.next();
    while (!step.done && job.isShort && clock.now() < end);
    isShort = step.done === true && isShortResult(job);
  } finally {
    if (!isShort) job.close?.();
  }
  return isShort ? job : undefined;
}

/** Whether all of a result is a short text, which takes no buffer. */
export function isShortResult({ isShort, isLast }: ContentParts): boolean {
  return isShort && isLast;
}

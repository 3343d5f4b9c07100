/** Work that can wait until nobody else does any, and that is done in short steps. */
export interface BackgroundWork {
  /** Whether there is any. */
  readonly isPending: boolean;
  /** Whether it should be done though somebody is writing. */
  readonly isUrgent: boolean;
  /** Does a part of it. */
  work(): Generator<void>;
}

/** How long a task may keep others from running, in milliseconds. */
const TASK_MS = 2;
/** What is left to others between two tasks of one part, in milliseconds. */
const PAUSE_MS = 1;
/** How long nobody has written when it is quiet, in milliseconds. */
const QUIET_MS = 10;

/** Runs a task after so many milliseconds. */
export type Schedule = (task: () => void, delayMs: number) => void;

/** Runs background work in short tasks: when nobody has written for a moment, or it is urgent. */
export class BackgroundRunner {
  readonly #work: BackgroundWork;
  readonly #schedule: Schedule;
  readonly #now: () => number;
  #job: Generator<void> | undefined;
  #scheduled = false;
  /** Somebody has written since a task was scheduled. */
  #hasNewWrites = false;

  /** @param now the time, in milliseconds; it is asked before each step */
  constructor(
    work: BackgroundWork,
    schedule: Schedule = afterDelay,
    now: () => number = () => performance.now(),
  ) {
    this.#work = work;
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Sees to it that work gets done, if there is any. To be called after each write. */
  request(): void {
    this.#hasNewWrites = true;
    if (this.#scheduled || !(this.#job || this.#work.isPending)) return;
    this.#scheduled = true;
    this.#hasNewWrites = false;
    this.#schedule(() => this.#task(), this.#job ? PAUSE_MS : QUIET_MS);
  }

  /** A part that was begun is finished; another is begun only where that is wanted. */
  #task(): void {
    this.#scheduled = false;
    const end = this.#now() + TASK_MS;
    const hasTime = () => this.#now() < end;
    while (hasTime() && (this.#job || this.#canStartJob)) {
      const job = this.#job ?? this.#work.work();
      this.#job = undefined;
      // At least one step, whatever the clock says, so that there is an end to it.
      let done = job.next().done === true;
      while (!done && hasTime()) done = job.next().done === true;
      if (!done) this.#job = job;
    }
    this.request();
  }

  get #canStartJob(): boolean {
    return this.#work.isPending && (!this.#hasNewWrites || this.#work.isUrgent);
  }
}

/** Does not keep a process from ending. */
function afterDelay(task: () => void, delayMs: number): void {
  setTimeout(task, delayMs).unref();
}

import { clock } from '../../clock.ts';
/** Work that can wait for an idle moment and is done in short steps. */
export interface BackgroundWork {
  /** Whether there is work to do. */
  readonly isPending: boolean;
  /** Whether to do it even while rows are being written. */
  readonly isUrgent: boolean;
  /** Starts a job: a part of the work, done step by step. */
  work(): Generator<void>;
}

/** The maximum time of a task, in milliseconds. */
const TASK_MS = 2;
/** The pause between two tasks of one job, in milliseconds. */
const PAUSE_MS = 1;
/**
 * The delay before a new job, in milliseconds. Unless urgent, it starts only if nothing was
 * written meanwhile.
 */
const QUIET_MS = 10;

/** Runs a task after a delay. */
export type Schedule = (task: () => void, delayMs: number) => void;

/**
 * Runs background work in short tasks, when nothing has been written for a while or the work is
 * urgent.
 */
export class BackgroundRunner {
  readonly #work: BackgroundWork;
  readonly #schedule: Schedule;
  readonly #now: () => number;
  #job: Generator<void> | undefined;
  #scheduled = false;
  /** Whether anything has been written since the last task was scheduled. */
  #hasNewWrites = false;

  /** @param now returns the time in milliseconds; called before each step */
  constructor(
    work: BackgroundWork,
    schedule: Schedule = afterDelay,
    now: () => number = () => clock.now(),
  ) {
    this.#work = work;
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Schedules a task if there is work. Must be called after each write. */
  request(): void {
    this.#hasNewWrites = true;
    if (this.#scheduled || !(this.#job || this.#work.isPending)) return;
    this.#scheduled = true;
    this.#hasNewWrites = false;
    this.#schedule(() => this.#task(), this.#job ? PAUSE_MS : QUIET_MS);
  }

  /**
   * Continues a job that has begun; starts new ones only if the work is urgent or nothing has been
   * written meanwhile.
   */
  #task(): void {
    this.#scheduled = false;
    const end = this.#now() + TASK_MS;
    const hasTime = () => this.#now() < end;
    while (hasTime() && (this.#job || this.#canStartJob)) {
      const job = this.#job ?? this.#work.work();
      this.#job = undefined;
      // At least one step per task, whatever the clock says, so that every job ends.
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

/** Runs a task by a timer that does not keep the process alive. */
function afterDelay(task: () => void, delayMs: number): void {
  clock.setTimeout(task, delayMs).unref();
}

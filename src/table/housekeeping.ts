/** Work that is done in short steps. */
export interface Chores {
  /** Whether there is any. */
  readonly untidy: boolean;
  /** Whether it should be done even if nobody stops writing: it is less work together than bit by bit. */
  readonly pressing: boolean;
  /** Does a part of it. */
  tidy(): Generator<void>;
}

/** How long a task may keep others from running, in milliseconds. */
const TASK_MS = 2;

/** Does chores in short tasks: when nobody has written for a moment, or when they press. */
export class Housekeeping {
  readonly #chores: Chores;
  readonly #schedule: (task: () => void) => void;
  #work: Generator<void> | undefined;
  #scheduled = false;
  #disturbed = false;

  constructor(chores: Chores, schedule: (task: () => void) => void = whenIdle) {
    this.#chores = chores;
    this.#schedule = schedule;
  }

  /** Sees to it that chores get done, if there are any. To be called after each write. */
  request(): void {
    this.#disturbed = true;
    if (this.#scheduled || !(this.#work || this.#chores.untidy)) return;
    this.#scheduled = true;
    this.#disturbed = false;
    this.#schedule(() => this.#task());
  }

  #task(): void {
    this.#scheduled = false;
    if (this.#disturbed && !this.#work && !this.#chores.pressing) {
      this.request();
      return;
    }
    const end = performance.now() + TASK_MS;
    const work = this.#work ?? this.#chores.tidy();
    this.#work = undefined;
    while (performance.now() < end) {
      if (work.next().done) {
        this.request();
        return;
      }
    }
    this.#work = work;
    this.request();
  }
}

/**
 * A timer, unlike an immediate, also runs while the process waits for input; and its millisecond
 * leaves room for requests between two tasks. It does not keep a process from ending.
 */
function whenIdle(task: () => void): void {
  setTimeout(task, 1).unref();
}

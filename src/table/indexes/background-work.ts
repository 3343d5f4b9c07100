/** Work that is done in short steps. */
export interface Chores {
  /** Whether there is any. */
  readonly untidy: boolean;
  /** Whether it should be done though somebody is writing. */
  readonly pressing: boolean;
  /** Does a part of it. */
  tidy(): Generator<void>;
}

/** How long a task may keep others from running, in milliseconds. */
const TASK_MS = 2;
/** What is left to others between two tasks of one part, in milliseconds. */
const PAUSE_MS = 1;
/** How long nobody has written when it is quiet, in milliseconds. */
const QUIET_MS = 10;

/** Runs a task after so many milliseconds. */
export type Schedule = (task: () => void, delayMs: number) => void;

/** Does chores in short tasks: when nobody has written for a moment, or when they press. */
export class Housekeeping {
  readonly #chores: Chores;
  readonly #schedule: Schedule;
  #part: Generator<void> | undefined;
  #scheduled = false;
  /** Somebody has written since a task was scheduled. */
  #disturbed = false;

  constructor(chores: Chores, schedule: Schedule = afterDelay) {
    this.#chores = chores;
    this.#schedule = schedule;
  }

  /** Sees to it that chores get done, if there are any. To be called after each write. */
  request(): void {
    this.#disturbed = true;
    if (this.#scheduled || !(this.#part || this.#chores.untidy)) return;
    this.#scheduled = true;
    this.#disturbed = false;
    this.#schedule(() => this.#task(), this.#part ? PAUSE_MS : QUIET_MS);
  }

  /** A part that was begun is finished; another is begun only where that is wanted. */
  #task(): void {
    this.#scheduled = false;
    const end = performance.now() + TASK_MS;
    const hasTime = () => performance.now() < end;
    while (hasTime() && (this.#part || this.#isWelcome)) {
      const part = this.#part ?? this.#chores.tidy();
      this.#part = undefined;
      let done = false;
      while (!done && hasTime()) done = part.next().done === true;
      if (!done) this.#part = part;
    }
    this.request();
  }

  get #isWelcome(): boolean {
    return this.#chores.untidy && (!this.#disturbed || this.#chores.pressing);
  }
}

/** Does not keep a process from ending. */
function afterDelay(task: () => void, delayMs: number): void {
  setTimeout(task, delayMs).unref();
}

/** How long a step lasts, in milliseconds; what has been begun by then is finished. */
const STEP_MS = 0.25;

/**
 * So many pieces of work are done between two looks at the clock. The largest piece, a comparison
 * of two rows with the longest texts, takes some microseconds; a look takes a twentieth of one.
 */
export const WORK_PER_CLOCK_READ = 8;

/** Tells the time in milliseconds, since whenever. */
export type Clock = () => number;

/** The clock of the process, which never goes back. */
export const processClock: Clock = () => performance.now();

/** Cuts work into steps by the clock. */
export class Pace {
  readonly #clock: Clock;
  #stepEnd = Number.POSITIVE_INFINITY;
  #left = WORK_PER_CLOCK_READ;
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For work that is done in one step, however long. */
  static endless(): Pace {
    return new Pace(() => 0);
  }

  /** Begins a step. */
  begin(): void {
    this.#stepEnd = this.#clock() + STEP_MS;
    this.#isOver = false;
  }

  /**
   * Whether the step is over, as somebody was told: whoever is handed a batch looks here, since
   * the next one to be told may be the one that handed it over.
   */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Notes pieces of work: a row that was tested, two that were compared.
   * @returns whether the step is over
   */
  note(units = 1): boolean {
    this.#left -= units;
    if (this.#left > 0) return false;
    this.#left = WORK_PER_CLOCK_READ;
    this.#isOver = this.#clock() >= this.#stepEnd;
    return this.#isOver;
  }
}

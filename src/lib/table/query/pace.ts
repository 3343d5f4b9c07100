/** The length of a step, in milliseconds. A unit of work that has begun is finished. */
const STEP_MS = 0.25;

/** Units of work between reads of the clock: each takes up to some µs, a read takes 0.05 µs. */
export const WORK_PER_CLOCK_READ = 32;

/** Returns the time in milliseconds, from any origin. */
export type TimeSource = () => number;

/**
 * The monotonic clock of the process. `Date.now` ticks only every millisecond, and may go back.
 * Bound when this module is loaded, because tests may replace `performance.now` later.
 */
export const processTime: TimeSource = performance.now.bind(performance);

/**
 * Runs work to its end, however long it takes. Returns its result. As in `lib/steps.ts`, which the
 * table does not import, so that it depends on nothing.
 */
export function runToEnd<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Splits work into steps of a fixed time, so that other work can run between them. */
export class Pace {
  readonly #clock: TimeSource;
  #stepEnd = Number.POSITIVE_INFINITY;
  #unitsLeft = WORK_PER_CLOCK_READ;

  constructor(clock: TimeSource) {
    this.#clock = clock;
  }

  beginStep(): void {
    this.#stepEnd = this.#clock() + STEP_MS;
  }

  /** Counts units of work (a row tested, two rows compared). Returns whether the step is over. */
  count(units = 1): boolean {
    this.#unitsLeft -= units;
    return this.#unitsLeft <= 0 && this.isOver();
  }

  /** Returns whether the step is over. */
  isOver(): boolean {
    this.#unitsLeft = WORK_PER_CLOCK_READ;
    return this.#clock() >= this.#stepEnd;
  }
}

/** The length of a step, in milliseconds. A unit of work that has begun is finished. */
const STEP_MS = 0.25;

/** The bytes of rows that are looked at before the clock is read, which takes 0.05 µs. */
const BYTES_PER_CLOCK_READ = 64 * 1024;

/** Returns the time in milliseconds, from any origin. */
export type TimeSource = () => number;

/**
 * The monotonic clock of the process. `Date.now` ticks only every millisecond, and may go back.
 * Bound when this module is loaded, because tests may replace `performance.now` later.
 */
export const processTime: TimeSource = performance.now.bind(performance);

/** Splits work into steps of a fixed time, so that other work can run between them. */
export class Pace {
  readonly #clock: TimeSource;
  #stepEnd = Number.POSITIVE_INFINITY;
  #bytesLeft = BYTES_PER_CLOCK_READ;

  constructor(clock: TimeSource) {
    this.#clock = clock;
  }

  beginStep(): void {
    this.#stepEnd = this.#clock() + STEP_MS;
  }

  /**
   * Counts work by the bytes of the row that it looks at, which no text of the row exceeds. Returns
   * whether the step is over.
   */
  spend(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    return this.#bytesLeft <= 0 && this.isOver();
  }

  /** Reads the clock, and begins a new count. Returns whether the step is over. */
  isOver(): boolean {
    this.#bytesLeft = BYTES_PER_CLOCK_READ;
    return this.#clock() >= this.#stepEnd;
  }
}

import { clock, type Timer } from '../../clock.ts';

/** The least time between two rounds that are not urgent, in milliseconds. */
const PAUSE_MS = 40;

/** Runs something in rounds, one at a time, so that what comes in between is done together. */
export class CoalescedTask {
  readonly #run: () => Promise<void>;
  /** How long after the last round the next one may begin; for ever, unless it is asked for. */
  #pauseMs = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #isRunning = false;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Asks for a round, after the one that is running: at once if it is urgent. */
  request(isUrgent: boolean): void {
    const pauseMs = isUrgent ? 0 : PAUSE_MS;
    if (pauseMs >= this.#pauseMs) return;
    this.#pauseMs = pauseMs;
    if (!this.#isRunning) this.#schedule();
  }

  /** Forgets the round that was asked for. */
  stop(): void {
    clock.clear(this.#timer);
  }

  #schedule(): void {
    clock.clear(this.#timer);
    const ms = Math.max(0, this.#lastEnd + this.#pauseMs - clock.now());
    this.#timer = clock.setTimeout(this.#round, ms).unref();
  }

  readonly #round = async (): Promise<void> => {
    this.#pauseMs = Number.POSITIVE_INFINITY;
    this.#isRunning = true;
    await this.#run();
    this.#isRunning = false;
    this.#lastEnd = clock.now();
    if (this.#pauseMs < Number.POSITIVE_INFINITY) this.#schedule();
  };
}

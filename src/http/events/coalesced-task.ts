import { clock, type Timer } from '../../clock.ts';

/** The least time between two rounds that are not urgent, in milliseconds. */
const PAUSE_MS = 40;

/** When something is to run again: unasked, at once or after the pause, or only when asked. */
export type Again = 'at once' | 'later' | 'if asked';

/** Runs something in rounds, one at a time, so that what comes in between is done together. */
export class CoalescedTask {
  readonly #run: () => Promise<Again>;
  /** When the next round is due, and the timer that starts it. */
  #due = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #isRunning = false;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(run: () => Promise<Again>) {
    this.#run = run;
  }

  /** Asks for a round: at once if it is urgent. During a round, the round itself knows. */
  request(isUrgent: boolean): void {
    if (this.#isRunning) return;
    const due = isUrgent ? 0 : this.#lastEnd + PAUSE_MS;
    if (due >= this.#due) return;
    clock.clear(this.#timer);
    this.#due = due;
    this.#timer = clock.setTimeout(this.#round, Math.max(0, due - clock.now())).unref();
  }

  /** Forgets the round that was asked for. */
  stop(): void {
    clock.clear(this.#timer);
  }

  readonly #round = async (): Promise<void> => {
    this.#due = Number.POSITIVE_INFINITY;
    this.#isRunning = true;
    const again = await this.#run();
    this.#isRunning = false;
    this.#lastEnd = clock.now();
    if (again !== 'if asked') this.request(again === 'at once');
  };
}

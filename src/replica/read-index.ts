import type { StoredList } from './stored-list.ts';
import type { View } from './view.ts';

/** Requests for the revision that may be under way at once, as long as they are answered. */
const MAX_IN_FLIGHT = 4;

/** How long at most those who come wait for one of their own, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * Lets reading wait until the table shows all that had been acknowledged before (a read index, as
 * in section 6.4 of Ongaro's "Consensus: Bridging Theory and Practice"). One linearizable read of
 * the head serves all who ask in one turn of the event loop, since it begins after each of them.
 */
export class ReadIndex {
  readonly #list: StoredList;
  readonly #view: View;
  readonly #timeoutMs: number;
  #next: Promise<void> | undefined;
  #inFlight = 0;
  #wake: (() => void) | undefined;
  /** When etcd last answered, as `performance.now()` has it. */
  lastAnswer = Number.NEGATIVE_INFINITY;

  constructor(list: StoredList, view: View, timeoutMs: number) {
    this.#list = list;
    this.#view = view;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Waits until the table shows all that had been acknowledged when this was called.
   * @returns a promise that is rejected when that takes too long
   */
  wait(): Promise<void> {
    this.#next ??= this.#ask(performance.now() + this.#timeoutMs);
    return this.#next;
  }

  async #ask(deadline: number): Promise<void> {
    await this.#turn();
    this.#next = undefined;
    const shown = this.#view.head?.revision ?? 0;
    const revision = await this.#revision(deadline);
    this.lastAnswer = performance.now();
    if (revision < shown) this.#view.reload(true);
    // Where there is no head, there is no list yet: the view is about to begin one.
    await this.#view.reached(Math.max(1, revision), deadline);
  }

  async #revision(deadline: number): Promise<number> {
    this.#inFlight++;
    try {
      return await this.#list.headRevision(deadline);
    } finally {
      this.#inFlight--;
      this.#wake?.();
    }
  }

  /** Waits for the end of the turn, and for one of those under way, though not for long. */
  async #turn(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#inFlight < MAX_IN_FLIGHT) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

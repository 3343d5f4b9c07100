import { clock, type Timer } from '../../clock.ts';

/** How long nothing may arrive while a revision is missing, in milliseconds. */
const SILENCE_MS = 1_000;

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Promises for revisions that are known to exist, but are not shown yet. */
export class RevisionWaiters {
  readonly #waiters = new Set<Waiter>();
  readonly #onSilence: (expected: number) => void;
  /** The highest revision known to exist, and the one that is shown. */
  #expected = 0;
  #shown = 0;
  #silence: Timer | undefined;
  #arrivals = 0;

  /** @param onSilence called if nothing has arrived for a while, although a revision is missing */
  constructor(onSilence: (expected: number) => void) {
    this.#onSilence = onSilence;
  }

  /** How many known revisions are not shown. */
  get lag(): number {
    return Math.max(0, this.#expected - this.#shown);
  }

  /**
   * @param deadline by `clock.now()`
   * @returns a promise, rejected at the deadline
   */
  wait(revision: number, deadline: number): Promise<void> {
    this.expect(revision);
    return new Promise((resolve, reject) => {
      const waiter = { revision, resolve, reject };
      const fail = () => this.#reject(waiter, new Error('the replica is behind'));
      const timer = clock.setTimeout(fail, Math.max(0, deadline - clock.now()));
      waiter.resolve = () => {
        clock.clear(timer);
        resolve();
      };
      waiter.reject = (error) => {
        clock.clear(timer);
        reject(error);
      };
      this.#waiters.add(waiter);
    });
  }

  /** A revision is known to exist. */
  expect(revision: number): void {
    this.#expected = Math.max(this.#expected, revision);
    const before = this.#arrivals;
    this.#silence ??= clock
      .setTimeout(() => {
        this.#silence = undefined;
        if (this.#arrivals === before) this.#onSilence(this.#expected);
        else if (this.lag > 0) this.expect(this.#expected);
      }, SILENCE_MS)
      .unref();
  }

  /** Something has arrived. */
  arrive(): void {
    this.#arrivals++;
  }

  /** Resolves the promises up to a revision, which is shown now. */
  release(revision: number): void {
    this.#shown = revision;
    if (this.lag === 0) this.#endSilence();
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Rejects all promises: the revisions will not come. */
  rejectAll(error: Error): void {
    this.#expected = 0;
    this.#endSilence();
    for (const waiter of this.#waiters) this.#reject(waiter, error);
  }

  #endSilence(): void {
    clock.clear(this.#silence);
    this.#silence = undefined;
  }

  #reject(waiter: Waiter, error: Error): void {
    this.#waiters.delete(waiter);
    waiter.reject(error);
  }
}

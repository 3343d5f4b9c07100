import { clock } from '../../clock.ts';

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Promises for revisions that the table does not show yet. */
export class RevisionWaiters {
  readonly #waiters = new Set<Waiter>();

  /**
   * @param deadline by `clock.now()`
   * @returns a promise, rejected at the deadline
   */
  wait(revision: number, deadline: number): Promise<void> {
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

  /** Resolves the promises up to a revision, which the table shows now. */
  release(revision: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Rejects all promises: the revisions will not come. */
  rejectAll(error: Error): void {
    for (const waiter of this.#waiters) this.#reject(waiter, error);
  }

  #reject(waiter: Waiter, error: Error): void {
    this.#waiters.delete(waiter);
    waiter.reject(error);
  }
}

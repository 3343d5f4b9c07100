interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Those who wait until the table shows a revision. */
export class RevisionWaiters {
  readonly #waiters = new Set<Waiter>();

  /** @returns a promise that is rejected at the deadline, as `performance.now()` has it */
  wait(revision: number, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { revision, resolve, reject };
      const fail = () => this.#reject(waiter, new Error('the replica is behind'));
      const timer = setTimeout(fail, Math.max(0, deadline - performance.now()));
      waiter.resolve = () => {
        clearTimeout(timer);
        resolve();
      };
      waiter.reject = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#waiters.add(waiter);
    });
  }

  /** The table shows this revision now. */
  release(revision: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** What they wait for will not come. */
  rejectAll(error: Error): void {
    for (const waiter of this.#waiters) this.#reject(waiter, error);
  }

  #reject(waiter: Waiter, error: Error): void {
    this.#waiters.delete(waiter);
    waiter.reject(error);
  }
}

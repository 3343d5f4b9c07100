import { Problem, type Request } from '../../lib/http/index.ts';

/** The request that waits until it may change lists. Absent for a program. */
export type Caller = Pick<Request, 'isDisconnected' | 'isHalfClosed'>;

/** Runs changes of lists one by one, because parsing a seed takes many times its size in memory. */
export class ChangeQueue {
  /** Fulfilled when all changes that have been asked for are done. */
  #last: Promise<unknown> = Promise.resolve();
  /** The number of changes that wait or are being made. */
  #size = 0;

  /**
   * Runs a change after those that were asked for before.
   * @param change is told whether it had to wait
   * @throws Problem of the caller
   */
  run<T>(caller: Caller | undefined, change: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.#size++ > 0;
    const done = this.#last.then(() => {
      // A test runner that has given up must not change the list of the next test.
      const isGone = caller?.isDisconnected || caller?.isHalfClosed;
      if (mustWait && isGone) throw ABANDONED;
      return change(mustWait);
    });
    this.#last = done
      .catch(() => {})
      .then(() => {
        this.#size--;
      });
    return done;
  }
}

const ABANDONED = new Problem(
  'overloaded',
  'The client had ended its side before the turn of this request came; nothing was done',
  { headers: { 'Retry-After': '1' } },
);

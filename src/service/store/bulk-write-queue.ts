import { overloaded, type Request } from '../../lib/http/index.ts';

/** The maximum number of writes that wait in a queue. */
const MAX_WAITING = 100;

/** Runs writes to several items one after the other, in the order in which they come. */
export class BulkWriteQueue {
  #isBusy = false;
  /** The functions that begin the writes that wait, in order. */
  readonly #waiting = new Set<() => void>();

  /**
   * Runs a write when those before it have ended.
   * @param wait waits on behalf of the request, and rejects to give up
   * @param work is told whether it had to wait
   * @throws Problem `overloaded` if too many wait
   */
  async run<T>(wait: Request['wait'], work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const mustWait = this.#isBusy;
    if (mustWait) await this.#waitUntilDue(wait);
    this.#isBusy = true;
    try {
      return await work(mustWait);
    } finally {
      this.#beginNext();
    }
  }

  async #waitUntilDue(wait: Request['wait']): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw overloaded('bulk-writes', 'Too many writes to several items are waiting');
    }
    let begin = () => {};
    const due = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.#waiting.add(begin);
    try {
      await wait(due);
    } catch (error) {
      // If it no longer waits, it is due, and lets the next one go on.
      if (!this.#waiting.delete(begin)) this.#beginNext();
      throw error;
    }
  }

  /** Begins the next write, if any. The queue stays busy for it, so that no new one overtakes it. */
  #beginNext(): void {
    const [begin] = this.#waiting;
    this.#isBusy = begin !== undefined;
    if (begin === undefined) return;
    this.#waiting.delete(begin);
    begin();
  }
}

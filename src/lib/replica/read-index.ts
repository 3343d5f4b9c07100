import { nextTurn } from '../clock.ts';
import { withDeadline } from './deadline.ts';
import type { Follower } from './follower.ts';

/**
 * Makes reads wait until the table has all writes acknowledged before them (a read index, section
 * 6.4 of Ongaro's "Consensus: Bridging Theory and Practice"). One linearizable read of the head
 * serves all reads that wait for it to begin, since it starts after them. At most one is in flight.
 */
export class ReadIndex {
  readonly #follower: Follower;
  #inFlight: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  /**
   * Waits until the table has all writes acknowledged before the call.
   * @param deadline by `clock.now()`; by default, as for any request that begins now
   * @throws StoreError
   */
  wait(deadline?: number): Promise<void> {
    this.#next ??= this.#read(this.#follower.deadline());
    return deadline === undefined ? this.#next : withDeadline(this.#next, deadline);
  }

  async #read(deadline: number): Promise<void> {
    await Promise.all([nextTurn(), this.#inFlight]);
    this.#next = undefined;
    const { head: before, opens } = this.#follower;
    const request = this.#follower.fetchHead({ deadline });
    this.#inFlight = request.catch(() => {});
    const { head } = await request;
    await this.#follower.catchUp({ head, before, opens }, deadline);
  }
}

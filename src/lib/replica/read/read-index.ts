import { nextTurn, sleep } from '../../clock.ts';
import { isOlder } from '../stored/commit-head.ts';
import type { EtcdFollower } from './etcd-follower.ts';

/** The maximum number of requests for the revision in flight, while they are being answered. */
const MAX_IN_FLIGHT = 4;

/** The time to wait for such a request to end before sending one more, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * Makes reads wait until the table has all writes acknowledged before them (a read index, section
 * 6.4 of Ongaro's "Consensus: Bridging Theory and Practice"). One linearizable read of the head
 * serves all reads that arrive in a turn of the event loop, since it starts after them.
 */
export class ReadIndex {
  readonly #follower: EtcdFollower;
  readonly #inFlight = new Set<Promise<unknown>>();
  #next: Promise<void> | undefined;

  constructor(follower: EtcdFollower) {
    this.#follower = follower;
  }

  /** Waits until the table has all writes acknowledged before the call. @throws StoreError */
  wait(): Promise<void> {
    const follower = this.#follower;
    const deadline = follower.list.deadline();
    this.#next ??= this.fetchRevision(deadline).then((revision) =>
      follower.reach(revision, deadline),
    );
    return this.#next;
  }

  /** Fetches the revision of the last write acknowledged before the call. @throws StoreError */
  async fetchRevision(deadline: number): Promise<number> {
    await nextTurn();
    if (this.#inFlight.size >= MAX_IN_FLIGHT) {
      await Promise.any([...this.#inFlight, sleep(MAX_WAIT_MS)]);
    }
    this.#next = undefined;
    const { head: tableHead, list } = this.#follower;
    const request = list.head({ deadline });
    this.#inFlight.add(request);
    const { head } = await request.finally(() => this.#inFlight.delete(request));
    // Compared with the table's head before the request. All keys may also be gone.
    const isRestored = tableHead !== undefined && (head === undefined || isOlder(head, tableHead));
    if (isRestored) this.#follower.reload();
    // Without a head there is no list yet, but the follower is about to create it.
    const revision = head?.revision ?? 1;
    this.#follower.noteRevision(revision);
    return revision;
  }
}

import { clock, nextTurn } from '../../lib/clock.ts';
import type { Synchronous } from '../../lib/table/index.ts';
import { sendCommit } from './commit.ts';
import { type Batch, dryRun, type PendingWrite } from './dry-run.ts';
import { raise, StoreError } from './errors.ts';
import type { Follower } from './follower.ts';
import type { OtherWriters } from './other-writers.ts';
import type { ListItems } from './rows.ts';

/** The age of etcd's last answer, in milliseconds, from which a write waits for another one. */
const STALE_ANSWER_MS = 1_500;

/**
 * Turns writes into commits, one at a time. For each, runs waiting writes on a fork of the items,
 * and sends their rows. When etcd has stored the rows, the writes are settled, and
 * the watch brings the rows into the items. If another replica commits first, the writes run again.
 */
export class Writer {
  readonly #follower: Follower;
  readonly #writers: OtherWriters;
  readonly #waiting = new Set<PendingWrite>();
  #isRunning = false;
  /** The number of commits that lost to another replica. */
  conflicts = 0;

  constructor(follower: Follower, writers: OtherWriters) {
    this.#follower = follower;
    this.#writers = writers;
  }

  /** Runs work and stores its writes, as `Replica.write` documents. */
  write<T extends Synchronous, R>(
    work: (items: ListItems) => T,
    respond: (result: T, number: number) => R,
    deadline = this.#follower.deadline(),
  ): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const settle: PendingWrite['settle'] = (result, number) => {
        this.#waiting.delete(pending);
        try {
          // The result of this write's own work, so it is a T.
          resolve(respond(result() as T, number));
        } catch (error) {
          reject(error);
        }
      };
      const pending = { work, deadline, settle };
      this.#waiting.add(pending);
      // Not awaited. `#run` never rejects. It passes errors to the waiting writes.
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    await nextTurn();
    while (this.#waiting.size > 0) {
      try {
        await this.#writeBatch();
      } catch (error) {
        // Others may succeed until their own deadlines.
        const late = this.#late();
        failAll(late.length > 0 ? late : this.#waiting, error);
      }
    }
    this.#isRunning = false;
  }

  async #writeBatch(): Promise<void> {
    const follower = this.#follower;
    const { lastError } = follower.list.etcd;
    failAll(this.#late(), lastError ?? new StoreError('other writes have always come first'));
    if (this.#waiting.size === 0) return;
    let deadline = Number.POSITIVE_INFINITY;
    for (const pending of this.#waiting) deadline = Math.min(deadline, pending.deadline);
    // Nothing is sent while etcd may be away, so that the outcome is certain.
    const isReachable = follower.list.etcd.hasAnsweredWithin(STALE_ANSWER_MS);
    if (!follower.isFollowing || !isReachable) await follower.catchUp(deadline);
    let batch = dryRun(follower.list, this.#base(), this.#waiting);
    if (batch.operations.length === 0) {
      // What changes nothing must see all earlier acknowledged writes, as a read does. The others then
      // run again, on what was seen.
      await follower.catchUp(deadline);
      batch = dryRun(follower.list, this.#base(), batch.results.keys());
    }
    if (batch.operations.length === 0) settleAll(batch, this.#base().revision);
    else await this.#commit(batch, deadline);
  }

  /** The writes whose deadlines have passed. */
  #late(): PendingWrite[] {
    const now = clock.now();
    return [...this.#waiting].filter(({ deadline }) => deadline <= now);
  }

  async #commit(batch: Batch, deadline: number): Promise<void> {
    const base = this.#base();
    const { generation } = base.members;
    const token = this.#writers.newToken();
    const start = clock.now();
    let revision: number | undefined;
    try {
      revision = await sendCommit(this.#follower, { base, token, generation, ...batch, deadline });
    } catch (error) {
      failAll(batch.results.keys(), error);
      return;
    }
    this.#writers.ownMs = clock.now() - start;
    if (revision === undefined) {
      this.conflicts++;
      return;
    }
    settleAll(batch, revision);
    await this.#follower.reach(revision, deadline);
    await this.#writers.pause();
  }

  #base() {
    const { head } = this.#follower;
    if (head === undefined) throw new StoreError('the list is not loaded');
    return head;
  }
}

function settleAll({ results }: Batch, number: number): void {
  for (const [pending, result] of results) pending.settle(result, number);
}

function failAll(writes: Iterable<PendingWrite>, error: unknown): void {
  for (const pending of [...writes]) pending.settle(() => raise(error), 0);
}

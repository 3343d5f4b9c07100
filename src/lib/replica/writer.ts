import { clock, nextTurn } from '../clock.ts';
import type { Synchronous } from '../table/index.ts';
import type { Commits } from './commits.ts';
import { dryRun, type PendingWrite, raise } from './dry-run.ts';
import { StoreError, UnknownOutcomeError } from './errors.ts';
import type { Follower } from './follower.ts';
import type { ReadIndex } from './read-index.ts';
import type { RecentWriters } from './recent-writers.ts';

/** The age of etcd's last answer, in milliseconds, from which a write waits for another one. */
const STALE_ANSWER_MS = 1_500;

/** The time that another writer needs to see a commit and make its own, in round trips. */
const ROUND_TRIPS_PER_WRITER = 2;

/** A request is not sent again in the last milliseconds before its deadline. */
const LAST_MS = 100;

const OTHER_LIST = 'the list has been replaced by another one meanwhile';

/** The parts of a replica that a writer uses. */
export interface WriterParts {
  readonly follower: Follower;
  readonly readIndex: ReadIndex;
  readonly commits: Commits;
  readonly recentWriters: RecentWriters;
}

/**
 * Turns writes into commits, one at a time. Each runs waiting writes against the table, undoes them,
 * and sends their rows. When etcd has stored the rows, the writes are settled, and the watch brings
 * the rows into the table. If another replica commits first, the writes run again.
 */
export class Writer {
  readonly #parts: WriterParts;
  readonly #waiting = new Set<PendingWrite>();
  #isRunning = false;
  /** The number of commits that lost to another replica. */
  conflicts = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Runs work and stores its writes, as `Replica.write` documents. */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
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
      const pending = { work, deadline: this.#parts.follower.deadline(), settle };
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
        await this.#round();
      } catch (error) {
        // If only the time of some writes was over, the others go on.
        const late = this.#waitingUntil(clock.now() + LAST_MS);
        fail(late.length > 0 && error instanceof StoreError ? late : this.#waiting, error);
      }
    }
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const { follower, readIndex, commits, recentWriters } = this.#parts;
    const { list } = follower;
    const late = this.#waitingUntil(clock.now());
    if (late.length > 0) throw new StoreError('other replicas have always written first');
    const deadline = Math.min(...[...this.#waiting].map((each) => each.deadline));
    // Nothing is sent while etcd may be away, so that the outcome is certain.
    const isReachable = list.etcd.hasAnsweredWithin(STALE_ANSWER_MS);
    if (!follower.isFollowing || !isReachable) await readIndex.wait(deadline);
    let batch = dryRun(list, this.#base(), this.#waiting);
    if (batch.operations.length === 0) {
      // Like reads, these must see all earlier acknowledged writes. Others may have to see more.
      await readIndex.wait(deadline);
      batch = dryRun(list, this.#base(), batch.results.keys());
    }
    const { results, operations, idsAssigned } = batch;
    const base = this.#base();
    if (operations.length === 0) {
      settle(results, base.revision);
      return;
    }
    const { generation } = base.members;
    const members = {
      ...{ generation, idsAssigned: String(idsAssigned), changes: operations.length },
    };
    const { opens } = follower;
    const start = clock.now();
    let revision: number | undefined;
    try {
      revision = await commits.send({ base, operations, members, deadline });
      // A response would have the number of the commit with the id of another list.
      if (this.#base().members.id !== base.members.id) throw new UnknownOutcomeError(OTHER_LIST);
    } catch (error) {
      fail(results.keys(), error);
      return;
    }
    if (revision === undefined) {
      this.conflicts++;
      return;
    }
    settle(results, revision);
    const roundTripMs = clock.now() - start;
    await follower.tryToReach(revision, opens, deadline);
    await recentWriters.pause(ROUND_TRIPS_PER_WRITER * roundTripMs);
  }

  #base() {
    const { head } = this.#parts.follower;
    if (head === undefined) throw new StoreError('the list is not loaded');
    return head;
  }

  #waitingUntil(time: number): readonly PendingWrite[] {
    return [...this.#waiting].filter(({ deadline }) => deadline <= time);
  }
}

function settle(results: ReturnType<typeof dryRun>['results'], number: number): void {
  for (const [pending, result] of results) pending.settle(result, number);
}

function fail(writes: Iterable<PendingWrite>, error: unknown): void {
  for (const pending of [...writes]) pending.settle(() => raise(error), 0);
}

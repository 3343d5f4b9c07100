import { clock, nextTurn } from '../../clock.ts';
import type { Synchronous } from '../../table/index.ts';
import { Waits } from '../../waits.ts';
import { InterruptedWriteError, StoreError, UnknownOutcomeError } from '../errors.ts';
import { EtcdError } from '../etcd/etcd-error.ts';
import { put, remove } from '../etcd/json.ts';
import type { EtcdFollower } from '../read/etcd-follower.ts';
import type { ReadIndex } from '../read/read-index.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { type CommitWriter, unknownOutcome } from './commit-writer.ts';
import { type Batch, dryRun, type PendingWrite, raise } from './dry-run.ts';
import type { RecentWriters } from './recent-writers.ts';

/** The age of etcd's last answer, in milliseconds, from which a write waits for another one. */
const STALE_ANSWER_MS = 1_500;

/** The time that another writer needs to see a commit and make its own, in round trips. */
const ROUND_TRIPS_PER_WRITER = 2;

/** The maximum time to wait for more writes before the next transaction, in milliseconds. */
const MAX_WAIT_MS = 100;

/**
 * Turns writes into transactions. It runs all waiting writes against the table, undoes them, sends
 * the rows, and settles the writes when etcd has stored the rows. If another replica committed
 * first, it runs the writes again.
 */
export class Committer {
  readonly #follower: EtcdFollower;
  readonly #readIndex: ReadIndex;
  readonly #writer: CommitWriter;
  readonly #recentWriters: RecentWriters;
  readonly #waiting = new Set<PendingWrite>();
  #isRunning = false;
  /** Waits for more writes. */
  readonly #waits = new Waits();
  conflicts = 0;

  constructor(
    follower: EtcdFollower,
    readIndex: ReadIndex,
    writer: CommitWriter,
    recentWriters: RecentWriters,
  ) {
    this.#follower = follower;
    this.#readIndex = readIndex;
    this.#writer = writer;
    this.#recentWriters = recentWriters;
  }

  /** Runs work and stores its writes, as `Replica.write` documents. */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): Promise<R> {
    const { timeoutMs } = this.#follower.list;
    return new Promise<R>((resolve, reject) => {
      const settle: PendingWrite['settle'] = (result, number) => {
        if (!this.#waiting.delete(pending)) return;
        clock.clear(timer);
        let value: T;
        try {
          // The result of this write's own work, so it is a T.
          value = result() as T;
        } catch (thrown) {
          return reject(thrown);
        }
        try {
          resolve(respond(value, number));
        } catch (thrown) {
          // If it was sent, its rows are stored.
          reject(pending.state === 'sent' ? new InterruptedWriteError(thrown) : thrown);
        }
      };
      const deadline = clock.now() + timeoutMs;
      const pending: PendingWrite = { work, state: 'waiting', deadline, settle };
      const onTimeout = () => this.#fail([pending], new StoreError('etcd did not answer'));
      const timer = clock.setTimeout(onTimeout, timeoutMs);
      this.#waiting.add(pending);
      this.#waits.check();
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
        this.#fail(this.#waiting, error);
      }
    }
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const follower = this.#follower;
    const { list, rows } = follower;
    // Nothing is sent while etcd may be unreachable, so that the outcome is certain.
    const isReachable = list.client.hasAnsweredWithin(STALE_ANSWER_MS);
    if (!follower.isFollowing || !isReachable) await this.#readIndex.wait();
    let batch = dryRun(rows, this.#waiting);
    if (batch.rows.length === 0) {
      // Like reads, writes must see all earlier acknowledged writes.
      await this.#readIndex.wait();
      const waiting = [...batch.results.keys()].filter((each) => this.#waiting.has(each));
      batch = dryRun(rows, waiting);
    }
    const { head } = follower;
    if (head === undefined) throw new TypeError('a list is loaded before writes run');
    if (batch.rows.length > 0) await this.#commit(batch, head);
    else for (const [pending, result] of batch.results) pending.settle(result, head.revision);
  }

  async #commit(batch: Batch, base: StoredHead): Promise<void> {
    const follower = this.#follower;
    const { keys } = follower.list;
    const { results, rows, idsAssigned } = batch;
    const pending = [...results.keys()];
    const deadline = Math.max(...pending.map((each) => each.deadline));
    const start = clock.now();
    const operations = rows.map(({ id, text }) => {
      const key = keys.row(base.generation, id);
      return text === undefined ? remove(key) : put(key, text);
    });
    const next = { generation: base.generation, idsAssigned, changes: rows.length };
    const tookAll = pending.length === this.#waiting.size;
    setState(pending, 'sent');
    try {
      const transaction = { base, deadline, operations, head: next };
      const { isApplied, head } = await this.#writer.write(transaction);
      if (!isApplied) {
        setState(pending, 'waiting');
        this.conflicts++;
        // Writes past their deadline are already settled. The other writes run again.
        await follower.tryToReach(head, deadline);
        return;
      }
      follower.commit(base, head, rows);
      for (const [each, result] of results) each.settle(result, head.revision);
    } catch (error) {
      const isCertain = error instanceof StoreError && !(error instanceof UnknownOutcomeError);
      if (isCertain) setState(pending, 'waiting');
      // If no endpoint can be reached, writes that arrived meanwhile need not wait as long again.
      const isUnsent = error instanceof EtcdError && error.isUnsent;
      this.#fail(isUnsent ? this.#waiting : pending, error);
      return;
    }
    const roundTripMs = clock.now() - start;
    // Clients with a response are likely to write again. Then their writes share a transaction.
    const expected = tookAll ? this.#waiting.size + pending.length : 0;
    await Promise.all([
      this.#waits.until(() => this.#waiting.size >= expected, Math.min(MAX_WAIT_MS, roundTripMs)),
      this.#recentWriters.pause(this.#writer.name, ROUND_TRIPS_PER_WRITER * roundTripMs),
    ]);
  }

  #fail(pending: Iterable<PendingWrite>, error: unknown): void {
    for (const each of pending) {
      each.settle(() => raise(each.state === 'sent' ? asUncertainError(error) : error), 0);
    }
  }
}

function setState(writes: readonly PendingWrite[], state: PendingWrite['state']): void {
  for (const each of writes) each.state = state;
}

/** The error of a failed write that may have been applied. */
function asUncertainError(error: unknown): Error {
  return error instanceof StoreError ? unknownOutcome(error) : new InterruptedWriteError(error);
}

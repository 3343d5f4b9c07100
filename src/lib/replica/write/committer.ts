import { clock, nextTurn } from '../../clock.ts';
import type { Synchronous } from '../../table/index.ts';
import { Waits } from '../../waits.ts';
import { EtcdError, InterruptedWriteError, StoreError, UnknownOutcomeError } from '../errors.ts';
import { put, remove } from '../etcd/json.ts';
import type { ReadIndex } from '../read/read-index.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { WaitingRequests } from '../waiting-requests.ts';
import { type CommitWriter, unknownOutcome } from './commit-writer.ts';
import { type Batch, dryRun, type PendingWrite, raise } from './dry-run.ts';

/** How old etcd's last answer may be, in milliseconds, before a write checks that it answers. */
const MAX_ANSWER_AGE_MS = 1_500;

/** A turn of another writer: it learns of the last transaction, and has its own applied. */
const TURN_ROUND_TRIPS = 2;

/** The longest pause after a transaction, in milliseconds. */
const MAX_PAUSE_MS = 100;

/**
 * Turns writes into transactions. It runs all that wait together against the table, undoes them,
 * sends what they would write, and answers them once that is stored. If another replica was first,
 * it runs them again.
 */
export class Committer {
  readonly #readIndex: ReadIndex;
  readonly #writer: CommitWriter;
  readonly #requests: WaitingRequests;
  readonly #waiting = new Set<PendingWrite>();
  /** The writes of a transaction that may have been applied. */
  #inDoubt: ReadonlySet<PendingWrite> = new Set();
  #isRunning = false;
  /** Waits for more writes, or fewer. */
  readonly #waits = new Waits();
  /** The duration of a transaction in milliseconds, as an exponential moving average. */
  #roundTripMs = 1;
  conflicts = 0;

  constructor(readIndex: ReadIndex, writer: CommitWriter, requests: WaitingRequests) {
    this.#readIndex = readIndex;
    this.#writer = writer;
    this.#requests = requests;
  }

  /** Runs work, and stores what it writes, as `Replica.write` says. */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): Promise<R> {
    const { timeoutMs } = this.#readIndex.follower.list;
    return new Promise<R>((resolve, reject) => {
      const settle: PendingWrite['settle'] = (result, number) => {
        if (!this.#waiting.delete(pending)) return;
        clock.clear(timer);
        this.#requests.delete(pending);
        this.#waits.check();
        let isDone = false;
        try {
          // A write is settled with the result of its own work, which is a T.
          const value = result() as T;
          isDone = true;
          resolve(respond(value, number));
        } catch (thrown) {
          reject(isDone && this.#inDoubt.has(pending) ? new InterruptedWriteError(thrown) : thrown);
        }
      };
      const refuse = (error: StoreError) => this.#fail([pending], error);
      const isSent = () => this.#inDoubt.has(pending);
      const pending = { work, deadline: clock.now() + timeoutMs, settle, isSent, refuse };
      const onTimeout = () => refuse(new StoreError('etcd did not answer'));
      const timer = clock.setTimeout(onTimeout, timeoutMs);
      this.#waiting.add(pending);
      this.#requests.add(pending);
      this.#waits.check();
      // It fails the writes that wait, and never itself.
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Waits until every write that waits now has been answered. */
  settle(): Promise<void> {
    const before = new Set(this.#waiting);
    return this.#waits.until(() => {
      const [oldest] = this.#waiting;
      return oldest === undefined || !before.has(oldest);
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
      // Otherwise one writer could win again and again, and others would starve.
      await this.#writer.turn(TURN_ROUND_TRIPS * this.#roundTripMs);
    }
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const readIndex = this.#readIndex;
    const { follower } = readIndex;
    const { list, rows } = follower;
    // Nothing is sent while etcd may be unreachable. So it is certain that nothing has happened.
    const isReachable = list.client.hasAnsweredWithin(MAX_ANSWER_AGE_MS);
    if (!follower.isFollowing || !isReachable) await readIndex.wait();
    if (follower.agreed.misfit !== undefined) throw follower.agreed.misfit;
    let batch = dryRun(rows, this.#waiting);
    if (batch.rows.length === 0) {
      // Like reads, these must see everything that was acknowledged before they came.
      await readIndex.wait();
      const waiting = [...batch.results.keys()].filter((each) => this.#waiting.has(each));
      batch = dryRun(rows, waiting);
    }
    const { head } = follower;
    const { current: meta } = follower.agreed;
    if (head === undefined || meta === undefined) return;
    if (batch.rows.length > 0) await this.#commit(batch, head, meta.revision);
    else for (const [pending, result] of batch.results) pending.settle(result, head.revision);
  }

  async #commit(batch: Batch, base: StoredHead, metaRevision: number): Promise<void> {
    const { follower } = this.#readIndex;
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
    this.#inDoubt = new Set(pending);
    try {
      const transaction = { base, metaRevision, deadline, operations, head: next };
      const { isApplied, head } = await this.#writer.write(transaction);
      if (!isApplied) {
        this.#inDoubt = new Set();
        this.conflicts++;
        // Writes that have reached their deadline have been told; the others are tried again.
        await follower.tryToReach(head, base, deadline);
        return;
      }
      follower.commit(base, head, rows);
      for (const [each, result] of results) each.settle(result, head.revision);
    } catch (error) {
      const isCertain = error instanceof StoreError && !(error instanceof UnknownOutcomeError);
      if (isCertain) this.#inDoubt = new Set();
      // If no endpoint can be reached, writes that came meanwhile need not wait as long again.
      const isUnsent = error instanceof EtcdError && error.outcome === 'unsent';
      this.#fail(isUnsent ? this.#waiting : pending, error);
      return;
    }
    this.#roundTripMs += (clock.now() - start - this.#roundTripMs) / 8;
    // Clients that have been answered are likely to write again. Then all share a transaction.
    if (!tookAll) return;
    const enough = this.#waiting.size + pending.length;
    const pauseMs = Math.min(MAX_PAUSE_MS, this.#roundTripMs);
    await this.#waits.until(() => this.#waiting.size >= enough, pauseMs);
  }

  #fail(pending: Iterable<PendingWrite>, error: unknown): void {
    for (const each of pending) {
      if (!this.#waiting.has(each)) continue;
      const isInDoubt = this.#inDoubt.has(each);
      each.settle(() => raise(isInDoubt ? leftOpen(error) : error), 0);
    }
  }
}

/** What to tell of a write that failed so, although it may have been applied. */
function leftOpen(error: unknown): Error {
  return error instanceof StoreError ? unknownOutcome(error) : new InterruptedWriteError(error);
}

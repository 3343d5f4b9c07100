import { storeProblem } from '../../../service/store/problems.ts';
import type { Respond } from '../../../service/store/store.ts';
import { clock, nextTurn, sleep } from '../../clock.ts';
import type { Synchronous } from '../../table/index.ts';
import { EtcdError, messageOf } from '../etcd/error.ts';
import { put, remove } from '../etcd/json.ts';
import type { ReplicaParts } from '../parts.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { type Batch, dryRun, type Operation, raise } from './dry-run.ts';

/** The maximum number of operations that may wait. */
const MAX_WAITING = 10_000;

/** How old etcd's last answer may be, in milliseconds, before a write checks that it answers. */
const MAX_ANSWER_AGE_MS = 1_500;

/** The longest pause that lets other writers go first, in milliseconds. */
const MAX_BACKOFF_MS = 100;

/**
 * Turns operations into transactions. It runs all that wait together against the table, undoes
 * them, sends what they would write, and answers them once that is stored. If another replica was
 * first, it runs them again.
 */
export class Committer {
  readonly #parts: ReplicaParts;
  /** The operations that have not been answered. */
  readonly #waiting = new Set<Operation>();
  /** Those of a transaction that may have been applied. */
  #inDoubt: ReadonlySet<Operation> = new Set();
  #isRunning = false;
  /** The duration of a transaction in milliseconds, as an exponential moving average. */
  #roundTripMs = 1;
  conflicts = 0;
  unknownOutcomes = 0;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  /**
   * Runs work, and stores what it writes.
   * @param respond called as soon as all replicas can read what it has written
   * @throws Problem if too many operations wait
   */
  write<T extends Synchronous, R>(work: () => T, respond: Respond<T, R>): Promise<R> {
    const { timeoutMs } = this.#parts;
    if (this.#waiting.size >= MAX_WAITING) {
      throw storeProblem('store-unavailable', 'Too many writes are waiting');
    }
    return new Promise<R>((resolve, reject) => {
      const settle: Operation['settle'] = (result, number) => {
        if (!this.#waiting.delete(operation)) return;
        clock.clear(timer);
        try {
          // An operation is settled with the result of its own work, which is a T.
          resolve(respond(result() as T, number));
        } catch (thrown) {
          reject(thrown);
        }
      };
      const operation = { work, deadline: clock.now() + timeoutMs, settle };
      const onTimeout = () => this.#fail([operation], 'etcd did not answer');
      const timer = clock.setTimeout(onTimeout, timeoutMs);
      this.#waiting.add(operation);
      if (!this.#isRunning) this.#run();
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
    const { list, follower, rows, readIndex } = this.#parts;
    // Nothing is sent while etcd may be unreachable. So it is certain that nothing has happened.
    const mayBeUnreachable = clock.now() - list.client.lastAnswer > MAX_ANSWER_AGE_MS;
    if (follower.head === undefined || mayBeUnreachable) await readIndex.wait();
    let batch = dryRun(rows, this.#waiting);
    if (batch.rows.length === 0) {
      // Like reads, these must see everything that was acknowledged before they came.
      await readIndex.wait();
      const waiting = [...batch.results.keys()].filter((each) => this.#waiting.has(each));
      batch = dryRun(rows, waiting);
    }
    const { head, meta } = follower;
    if (head === undefined || meta === undefined) return;
    if (batch.rows.length > 0) await this.#commit(batch, head, meta.revision);
    else for (const [operation, result] of batch.results) operation.settle(result, head.revision);
  }

  async #commit(batch: Batch, base: StoredHead, metaRevision: number): Promise<void> {
    const { list, writer, follower } = this.#parts;
    const { results, rows, idsAssigned } = batch;
    const operations = [...results.keys()];
    const deadline = Math.max(...operations.map((operation) => operation.deadline));
    const start = clock.now();
    this.#inDoubt = new Set(operations);
    try {
      const { isApplied, head } = await writer.write({
        ...{ base, metaRevision, deadline },
        operations: rows.map(({ id, text }) => {
          const key = list.keys.row(base.generation, id);
          return text === undefined ? remove(key) : put(key, text);
        }),
        head: { generation: base.generation, idsAssigned, changes: rows.length },
      });
      if (!isApplied) {
        this.#inDoubt = new Set();
        this.conflicts++;
        // No other transaction came first: `meta` has changed.
        if (head.revision === base.revision) follower.reload();
        // Operations that have reached their deadline have been told; the others are tried again.
        await follower.reached(head.revision, deadline).catch(() => {});
        return;
      }
      follower.commit(base, head, rows);
      for (const [operation, result] of results) operation.settle(result, head.revision);
    } catch (error) {
      if (error instanceof EtcdError) this.#inDoubt = new Set();
      // If no endpoint can be reached, operations that came meanwhile need not wait as long again.
      const isRefused = error instanceof EtcdError && error.outcome === 'refused';
      this.#fail(isRefused ? this.#waiting : operations, error);
      return;
    }
    // Without a pause, one writer could win again and again, and others would starve.
    this.#roundTripMs += (clock.now() - start - this.#roundTripMs) / 8;
    const others = follower.writers.countBeside(writer.name);
    if (others > 0) await sleep(Math.min(MAX_BACKOFF_MS, others * this.#roundTripMs));
  }

  #fail(operations: Iterable<Operation>, error: unknown): void {
    for (const operation of operations) {
      if (!this.#waiting.has(operation)) continue;
      const code = this.#inDoubt.has(operation) ? 'outcome-unknown' : 'store-unavailable';
      if (code === 'outcome-unknown') this.unknownOutcomes++;
      const problem = storeProblem(code, messageOf(error));
      operation.settle(() => raise(problem), 0);
    }
  }
}

import { clock, nextTurn, sleep } from '../../clock.ts';
import type { Table } from '../../table/table.ts';
import type { ItemFields } from '../../todo/item-api.ts';
import { EtcdError } from '../etcd/error.ts';
import { put, remove } from '../etcd/messages.ts';
import type { View } from '../read/etcd-follower.ts';
import type { ReadIndex } from '../read/read-index.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { Keys } from '../stored/keys.ts';
import type { RowCodec } from '../stored/row-codec.ts';
import { type Batch, rehearse } from './dry-run.ts';
import { type HeadWriter, UnknownOutcomeError } from './head-writer.ts';
import { Operation } from './operation.ts';
import type { Fail } from './store-error.ts';

/** The most operations that may wait. */
const MAX_WAITING = 10_000;

/** How old etcd's last response may be, in milliseconds, before a write checks that it responds. */
const MAX_RESPONSE_AGE_MS = 1_500;

/** A writer that has written within this time, in milliseconds, is likely to write again. */
const RECENT_MS = 1_000;

/** The longest pause that lets other writers go first, in milliseconds. */
const MAX_BACKOFF_MS = 100;

/** How long to wait while the list is loaded again, in milliseconds. */
const RELOAD_MS = 50;

/** What a committer needs. */
export interface CommitterParts {
  readonly writer: HeadWriter;
  readonly keys: Keys;
  readonly codec: RowCodec;
  readonly table: Table<ItemFields>;
  readonly view: View;
  readonly readIndex: ReadIndex;
  readonly timeoutMs: number;
  readonly fail: Fail;
}

/**
 * Turns writing operations into transactions. It rehearses all that wait together, sends what they
 * would write, and answers them once that is stored. If another replica was first, it rehearses
 * them again.
 */
export class Committer {
  readonly #parts: CommitterParts;
  #waiting: Operation[] = [];
  #isRunning = false;
  /** The duration of a transaction in milliseconds, as an exponential moving average. */
  #roundTripMs = 1;
  conflicts = 0;
  unknownOutcomes = 0;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * Runs work, and stores what it writes.
   * @returns a promise of its result, resolved once all replicas can read what it has written
   * @throws the store's error if too many operations wait
   */
  write<T>(work: () => T): Promise<T> {
    const { timeoutMs, fail } = this.#parts;
    if (this.#waiting.length >= MAX_WAITING) throw fail('store-unavailable', 'Too much is waiting');
    return new Promise<T>((resolve, reject) => {
      // An operation is settled with the result of its own work, which is a T.
      const settle = resolve as (value: unknown) => void;
      const onTimeout = (operation: Operation) => this.#fail(operation, 'etcd did not answer');
      this.#waiting.push(new Operation(work, timeoutMs, onTimeout, settle, reject));
      if (!this.#isRunning) this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    await nextTurn();
    while (this.#waiting.length > 0) {
      try {
        await this.#round();
      } catch (error) {
        this.#failAll(this.#waiting, error);
      }
      this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
    }
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const { view, table, codec, readIndex } = this.#parts;
    const { head, meta } = view;
    // Nothing is sent while etcd may be unreachable. So it is certain that nothing has happened.
    const mayBeUnreachable = clock.now() - readIndex.lastResponse > MAX_RESPONSE_AGE_MS;
    if (head === undefined || meta === undefined || mayBeUnreachable) {
      await readIndex.wait();
      return;
    }
    const batch = rehearse(table, codec, this.#waiting);
    if (batch.rows.length === 0) await this.#confirm(batch);
    else await this.#commit(batch, head, meta.revision);
  }

  /**
   * Answers operations that write nothing. Like reads, they must see everything acknowledged before
   * they came. So each waits for the read index, and is rehearsed again before it is answered.
   */
  async #confirm({ results }: Batch): Promise<void> {
    for (const { operation, result } of results) {
      if (operation.isConfirmed) operation.settle(result);
    }
    const others = results.filter(({ operation }) => !operation.isSettled);
    if (others.length === 0) return;
    await this.#parts.readIndex.wait();
    for (const { operation } of others) operation.isConfirmed = true;
  }

  async #commit(batch: Batch, base: StoredHead, metaRevision: number): Promise<void> {
    const { writer, keys, view, table } = this.#parts;
    const { results, rows, idsAssigned } = batch;
    const operations = results.map(({ operation }) => operation);
    const deadline = Math.max(...operations.map((operation) => operation.deadline));
    const start = clock.now();
    for (const operation of operations) operation.isInDoubt = true;
    try {
      const outcome = await writer.write({
        ...{ base, metaRevision, deadline },
        operations: rows.map(({ id, text }) => {
          const key = keys.row(base.generation, id);
          return text === undefined ? remove(key) : put(key, text);
        }),
        head: { generation: base.generation, idsAssigned, changes: rows.length },
      });
      this.#parts.readIndex.lastResponse = clock.now();
      if (!outcome.isApplied) {
        for (const operation of operations) operation.isInDoubt = false;
        this.conflicts++;
        await this.#catchUp(base, outcome.revision, deadline);
        return;
      }
      const { head } = outcome;
      if (head) view.commit(base, head, () => table.replay(rows, idsAssigned, head.revision));
      for (const { operation, result } of results) operation.settle(result);
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) {
        for (const operation of operations) operation.isInDoubt = false;
      }
      // If no endpoint can be reached, operations that came meanwhile need not wait as long again.
      const isRefused = error instanceof EtcdError && error.outcome === 'refused';
      this.#failAll(isRefused ? this.#waiting : operations, error);
      return;
    }
    await this.#backOff(clock.now() - start);
  }

  async #catchUp(base: StoredHead, revision: number, deadline: number): Promise<void> {
    const { view } = this.#parts;
    if (revision <= base.revision) {
      // There is no newer head: `meta` has changed, or etcd was restored from a backup.
      view.reload(revision < base.revision);
      await sleep(RELOAD_MS);
      return;
    }
    try {
      await view.reached(revision, deadline);
    } catch {
      // Operations that have reached their deadline have been told; the others are tried again.
    }
  }

  /** Without a pause, one writer could win again and again, and others would starve. */
  async #backOff(roundTripMs: number): Promise<void> {
    this.#roundTripMs += (roundTripMs - this.#roundTripMs) / 8;
    const others = this.#parts.view.otherWritersSince(RECENT_MS, this.#parts.writer.name);
    if (others > 0) await sleep(Math.min(MAX_BACKOFF_MS, others * this.#roundTripMs));
  }

  #failAll(operations: readonly Operation[], error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    for (const operation of operations) this.#fail(operation, detail);
  }

  #fail(operation: Operation, detail: string): void {
    if (operation.isInDoubt && !operation.isSettled) this.unknownOutcomes++;
    operation.fail(this.#parts.fail, detail);
  }
}

import type { Synchronous } from '../table/index.ts';
import { Availability } from './availability.ts';
import type { IncompatibleError, StoreError } from './errors.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { EtcdFollower } from './read/etcd-follower.ts';
import { openList } from './read/open-list.ts';
import { ReadIndex } from './read/read-index.ts';
import { ReplicaTable } from './read/replica-table.ts';
import type { ListTable } from './stored/list-table.ts';
import type { ReplicaIdentity } from './stored/meta.ts';
import { rowCodec } from './stored/row-codec.ts';
import { StoredList } from './stored/stored-list.ts';
import { CommitWriter } from './write/commit-writer.ts';
import { Committer } from './write/committer.ts';
import { MAX_TRANSACTION_ROWS } from './write/dry-run.ts';
import { Generations, type MakeRows } from './write/generations.ts';
import { RecentWriters } from './write/recent-writers.ts';

/** The settings of a replica. */
export interface ReplicaSettings {
  readonly etcd: EtcdSettings;
  /** The prefix of all keys. */
  readonly prefix: string;
  /** The maximum time that a request waits for etcd, in milliseconds. */
  readonly timeoutMs: number;
  readonly identity: ReplicaIdentity;
}

/** The table, to which only the replica writes, and the rows of a new list. */
export interface ReplicatedTable {
  readonly table: ListTable;
  readonly makeRows: MakeRows;
}

/** The callbacks of a replica. */
export interface ReplicaEvents {
  /** Called when the stored list cannot be used at the start. The replica does not follow it. */
  readonly onIncompatible: (error: IncompatibleError) => void;
  /**
   * Called with the reason when the store cannot be used, and when the reason changes; with
   * undefined when it can be used again.
   */
  readonly onUnavailable: (reason: string | undefined) => void;
  /** Called when etcd was restored to an earlier state, and the list has been loaded again. */
  readonly onRestored: () => void;
}

/** A table as a view of etcd's history, which any number of replicas share (README.md). */
export class Replica {
  /** The maximum rows of one write. */
  readonly maxRowsPerWrite = MAX_TRANSACTION_ROWS;
  readonly #follower: EtcdFollower;
  readonly #readIndex: ReadIndex;
  readonly #generations: Generations;
  readonly #committer: Committer;
  readonly #availability: Availability;

  constructor(settings: ReplicaSettings, events: ReplicaEvents, replicated: ReplicatedTable) {
    const { table, makeRows } = replicated;
    const { etcd, prefix, timeoutMs, identity } = settings;
    const list = new StoredList(new EtcdClient(etcd), prefix, timeoutMs, identity.schema);
    const rows = new ReplicaTable(table, rowCodec(identity.schema));
    const writer = new CommitWriter(list);
    const writers = new RecentWriters();
    const generations = new Generations(list, rows, writer);
    const create = () => generations.create(identity, makeRows);
    const follower = new EtcdFollower(list, rows, {
      open: () => openList(list, identity, create),
      onHead: (head) => writers.record(head),
      onRestored: events.onRestored,
    });
    this.#generations = generations;
    this.#follower = follower;
    this.#readIndex = new ReadIndex(follower);
    this.#committer = new Committer(follower, this.#readIndex, writer, writers);
    this.#availability = new Availability(follower, this.#readIndex, events.onUnavailable);
    // Not awaited. Any error other than a StoreError must end the process.
    void follower.follow(events.onIncompatible);
  }

  /** Runs `work` when the table has all acknowledged writes. @throws StoreError */
  async read<T>(work: () => T | Promise<T>): Promise<T> {
    await this.#readIndex.wait();
    return work();
  }

  /**
   * Runs work that writes to the table, and stores its writes. The work may run more than once,
   * but takes effect at most once. If it throws, nothing is written.
   * @param respond called when the writes are stored, with the result and the number of the commit
   * (of the previous commit if nothing was written)
   * @throws the error of the work; UnknownOutcomeError if the write may be stored, another
   * StoreError if it is not; InterruptedWriteError
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): Promise<R> {
    return this.#committer.write(work, respond);
  }

  /** Replaces all rows in one commit. @throws the errors of `write` */
  reset(makeRows: MakeRows): Promise<void> {
    return this.#generations.reset(this.#follower, this.#readIndex, makeRows);
  }

  /** Identifies the list from its creation on. Empty before it is loaded. */
  get listId(): string {
    return this.#follower.meta?.id ?? '';
  }

  /** A name that each reset changes; empty before the rows are loaded. */
  get generation(): string {
    return this.#follower.head?.generation ?? '';
  }

  /** Why the replica cannot serve now; undefined if it can. */
  get problem(): StoreError | undefined {
    return this.#availability.problem;
  }

  /** The revision that the table shows, its lag, and counters. */
  get stats() {
    const { revision, lag, loads, list } = this.#follower;
    const { conflicts } = this.#committer;
    return { revision, lag, retries: list.client.retries, conflicts, loads };
  }

  close(): void {
    this.#availability.close();
    this.#follower.close();
    this.#follower.list.client.close();
  }
}

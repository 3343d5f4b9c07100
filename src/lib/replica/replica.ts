import type { Synchronous } from '../table/index.ts';
import { Availability } from './availability.ts';
import { MAX_COMMIT_ROWS } from './dry-run.ts';
import type { IncompatibleError, StoreError } from './errors.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { Follower } from './follower.ts';
import { Generations, type MakeRows } from './generations.ts';
import type { ReplicaIdentity } from './head.ts';
import { keysOf } from './list.ts';
import { OtherWriters } from './other-writers.ts';
import { type ListTable, RowCodec } from './rows.ts';
import { Writer } from './writer.ts';

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
  /** Called with the reason when the store cannot be used; with undefined when it can again. */
  readonly onUnavailable: (reason: string | undefined) => void;
  /** Called when etcd was restored to an earlier state, and the list has been loaded again. */
  readonly onRestored: () => void;
  /** Called with one line when an endpoint answers for another cluster. */
  readonly onOtherCluster: (message: string) => void;
}

/** A table as a view of etcd's history, which any number of replicas share (README.md). */
export class Replica {
  /** The maximum rows of one write. */
  readonly maxRowsPerWrite: number = MAX_COMMIT_ROWS;
  readonly #follower: Follower;
  readonly #writer: Writer;
  readonly #generations: Generations;
  readonly #availability: Availability;

  constructor(settings: ReplicaSettings, events: ReplicaEvents, replicated: ReplicatedTable) {
    const { table, makeRows } = replicated;
    const { prefix, timeoutMs, identity } = settings;
    const etcd = new EtcdClient(settings.etcd, events.onOtherCluster);
    const codec = new RowCodec(table, identity.schema);
    const writers = new OtherWriters();
    const follower = new Follower(
      { etcd, keys: keysOf(prefix), identity, table, codec, timeoutMs },
      {
        create: () => this.#generations.create(makeRows),
        onHead: ({ members }) => writers.record(members.token),
        onRestored: events.onRestored,
      },
    );
    this.#follower = follower;
    this.#writer = new Writer(follower, writers);
    this.#generations = new Generations(follower, writers);
    this.#availability = new Availability(follower, events.onUnavailable);
    // Not awaited. Any error other than a StoreError must end the process.
    void follower.follow(events.onIncompatible);
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return this.#follower.deadline();
  }

  /**
   * Runs `work` when the table has all acknowledged writes.
   * @param deadline by default, as for any request that begins now
   * @throws StoreError
   */
  async read<T>(work: () => T | Promise<T>, deadline?: number): Promise<T> {
    await this.#follower.catchUp(deadline);
    return work();
  }

  /**
   * Runs work that writes to the table, and stores its writes. The work may run more than once,
   * but takes effect at most once. If it throws, nothing is written.
   * @param respond called when the writes are stored, with the result and the number of the commit
   * (of the previous commit if nothing was written)
   * @param deadline by default, as for any request that begins now
   * @throws the error of the work; UnknownOutcomeError if the write may be stored, another
   * StoreError if it is not
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
    deadline?: number,
  ): Promise<R> {
    return this.#writer.write(work, respond, deadline);
  }

  /** Replaces all rows in one commit. @throws the errors of `write` */
  reset(makeRows: MakeRows): Promise<void> {
    return this.#generations.reset(makeRows);
  }

  /** Identifies the list from its creation on. Empty before it is loaded. */
  get listId(): string {
    return this.#follower.head?.members.id ?? '';
  }

  /** Identifies the rows since the last reset. Empty before the list is loaded. */
  get generation(): string {
    return this.#follower.head?.members.generation ?? '';
  }

  /** Why the replica cannot serve now; undefined if it can. */
  get problem(): StoreError | undefined {
    return this.#availability.problem;
  }

  /** The revision that the table shows, its lag, and counters. */
  get stats() {
    const { head, lag, loads, list } = this.#follower;
    const { conflicts } = this.#writer;
    return { revision: head?.revision ?? 0, lag, retries: list.etcd.retries, conflicts, loads };
  }

  close(): void {
    this.#availability.close();
    this.#follower.close();
    this.#follower.list.etcd.close();
  }
}

import type { Synchronous } from '../table/index.ts';
import { Availability } from './availability.ts';
import type { IncompatibleError } from './errors.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { AgreedMeta } from './read/agreed-meta.ts';
import { EtcdFollower } from './read/etcd-follower.ts';
import { type HistoryReader, historyReader } from './read/history.ts';
import { ReadIndex } from './read/read-index.ts';
import { ReplicaTable } from './read/replica-table.ts';
import type { ListSchema, ListTable } from './stored/list-table.ts';
import type { ReplicaIdentity } from './stored/meta.ts';
import { rowCodec } from './stored/row-codec.ts';
import { StoredList } from './stored/stored-list.ts';
import { WaitingRequests } from './waiting-requests.ts';
import { CommitWriter } from './write/commit-writer.ts';
import { Committer } from './write/committer.ts';
import { MAX_TRANSACTION_ROWS } from './write/dry-run.ts';
import { Generations, type MakeRows } from './write/generations.ts';

/** The settings of a replica. */
export interface ReplicaSettings {
  readonly etcd: EtcdSettings;
  /** The prefix of all keys. */
  readonly prefix: string;
  /** Whether reads do not wait for etcd, and may be stale. */
  readonly readsLocally: boolean;
  /** How long a request may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;
  readonly identity: ReplicaIdentity;
}

/** The table to keep as etcd has it, to which nobody else writes, and the rows of a new list. */
export interface ReplicatedTable {
  readonly schema: ListSchema;
  readonly table: ListTable;
  readonly makeRows: MakeRows;
}

/** The callbacks of a replica. */
export interface ReplicaEvents {
  /** Called when the stored list is incompatible; the replica no longer follows it. */
  readonly onIncompatible: (error: IncompatibleError) => void;
  /**
   * Called with the reason when the store cannot be used, and again when that is of another kind,
   * a minute later at the earliest; with undefined once it can be used again.
   */
  readonly onUnavailable: (reason: string | undefined) => void;
  /** Called with the key of a stored row that cannot be read, and the reason. */
  readonly onUnreadable: (key: string, reason: string) => void;
}

/** A table as a view of etcd's history, which any number of replicas share (README.md). */
export class Replica {
  /** The maximum rows of one write. */
  readonly maxRowsPerWrite = MAX_TRANSACTION_ROWS;
  /** The reads and writes that wait for etcd. */
  readonly requests = new WaitingRequests();
  readonly commits: HistoryReader;
  readonly #readsLocally: boolean;
  readonly #follower: EtcdFollower;
  readonly #readIndex: ReadIndex;
  readonly #generations: Generations;
  readonly #committer: Committer;
  readonly #availability: Availability;

  constructor(settings: ReplicaSettings, events: ReplicaEvents, replicated: ReplicatedTable) {
    const { schema, table, makeRows } = replicated;
    const list = new StoredList(new EtcdClient(settings.etcd), settings.prefix, settings.timeoutMs);
    const rows = new ReplicaTable(table, rowCodec(schema), events.onUnreadable);
    const writer = new CommitWriter(list);
    const generations = new Generations(list, rows, writer);
    const { identity } = settings;
    const create = () => generations.create(identity, makeRows);
    const agreed = new AgreedMeta(list, { schema, identity, create });
    this.#readsLocally = settings.readsLocally;
    this.#generations = generations;
    this.#follower = new EtcdFollower(list, rows, agreed, writer);
    this.commits = historyReader(this.#follower);
    this.#readIndex = new ReadIndex(this.#follower);
    this.#committer = new Committer(this.#readIndex, writer, this.requests);
    this.#availability = new Availability(this.#readIndex, events.onUnavailable);
    // Nobody waits for it: any error but one of the store has to end the process.
    void this.#follower.follow(events.onIncompatible);
  }

  /** Runs work that reads, when all acknowledged before is shown. @throws StoreError */
  read<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#readsLocally && this.isLoaded) return work();
    return this.requests.during(this.catchUp()).then(work);
  }

  /**
   * Runs work that writes to the table, and stores what it writes. The work may run more than once,
   * but its effect shows once; it leaves no trace if it throws.
   * @param respond called as soon as all replicas can read what it has written, with its result and
   * the number of the commit, or of the last one before if it has written nothing
   * @throws what the work throws; UnknownOutcomeError if it may have happened, another StoreError
   * if not; InterruptedWriteError
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): Promise<R> {
    return this.#committer.write(work, respond);
  }

  /** Replaces all rows in one commit, after the writes that came before. @throws as a write does */
  reset(makeRows: MakeRows): Promise<void> {
    return this.#generations.reset(this.#readIndex, makeRows, () => this.#committer.settle());
  }

  /** Waits until everything acknowledged before this call can be read. @throws StoreError */
  catchUp(): Promise<void> {
    return this.#readIndex.wait();
  }

  /**
   * The history of a commit, once the list is loaded. No two commits ever have the same history and
   * number, not even after a restore from a backup.
   */
  historyOf(number: number): string {
    return this.#follower.historyOf(number);
  }

  /** Names the rows that are shown, until all are replaced; empty before they are loaded. */
  get generation(): string {
    return this.#follower.head?.generation ?? '';
  }

  /** Whether the list has been loaded, be it long ago. */
  get isLoaded(): boolean {
    return this.#follower.isLoaded;
  }

  /** Why the replica cannot serve now; undefined if it can. */
  get notReadyReason(): string | undefined {
    if (this.#readsLocally && this.isLoaded) return undefined;
    return this.#availability.problem?.reason;
  }

  /** The revision that it shows, its lag, and how often something has happened. */
  get stats() {
    const { head, waiters, loads, list } = this.#follower;
    const { conflicts } = this.#committer;
    const { retries } = list.client;
    return { revision: head?.revision ?? 0, lag: waiters.lag, retries, conflicts, loads };
  }

  close(): void {
    this.#availability.close();
    this.#follower.close();
    this.#follower.list.client.close();
  }
}

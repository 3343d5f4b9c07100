import type { Synchronous } from '../../lib/table/index.ts';
import { Availability } from './availability.ts';
import { MAX_COMMIT_ROWS } from './dry-run.ts';
import type { IncompatibleError, StoreError } from './errors.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { Follower } from './follower.ts';
import { Generations } from './generations.ts';
import type { ReplicaIdentity } from './head.ts';
import { keysOf } from './list.ts';
import { OtherWriters } from './other-writers.ts';
import { type ListItems, RowCodec } from './rows.ts';
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

/** The list that a replica keeps in step with etcd. */
export interface LocalList {
  /** No items, with the limits of this replica, to show until the list is loaded. */
  readonly empty: ListItems;
  /** Makes the items of a new list. */
  readonly makeSeed: () => Promise<ListItems>;
  /** Called when the replica has other `items`, because the list was loaded. */
  readonly onLoad: () => void;
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

/** A list as a view of etcd's history, which any number of replicas share (README.md). */
export class Replica {
  /** The maximum rows of one write. */
  readonly maxRowsPerWrite: number = MAX_COMMIT_ROWS;
  readonly #follower: Follower;
  readonly #writer: Writer;
  readonly #generations: Generations;
  readonly #availability: Availability;

  constructor(
    settings: ReplicaSettings,
    events: ReplicaEvents,
    { empty, makeSeed, onLoad }: LocalList,
  ) {
    const { prefix, timeoutMs, identity } = settings;
    const etcd = new EtcdClient(settings.etcd, events.onOtherCluster);
    const codec = new RowCodec(identity.schema);
    const writers = new OtherWriters();
    const follower = new Follower(
      { etcd, keys: keysOf(prefix), identity, items: empty, codec, timeoutMs },
      {
        create: async () => this.#generations.create(await makeSeed()),
        onLoad,
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

  /** The items, to read. Those of a load are others. */
  get items(): ListItems {
    return this.#follower.list.items;
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return this.#follower.deadline();
  }

  /**
   * Runs `work` when the items have all acknowledged writes.
   * @param deadline by default, as for any request that begins now
   * @throws StoreError
   */
  async read<T>(work: () => T | Promise<T>, deadline?: number): Promise<T> {
    await this.#follower.catchUp(deadline);
    return work();
  }

  /**
   * Runs work that writes to the items that it is given, and stores its writes. The work may run more
   * than once, but takes effect at most once. If it throws, nothing is written. Until its commit is
   * stored, the number of that is `UNSTORED`.
   * @param respond called when the writes are stored, with the result and the number of the commit
   * (of the previous commit if nothing was written)
   * @param deadline by default, as for any request that begins now
   * @throws the error of the work; UnknownOutcomeError if the write may be stored, another
   * StoreError if it is not
   */
  write<T extends Synchronous, R>(
    work: (items: ListItems) => T,
    respond: (result: T, number: number) => R,
    deadline?: number,
  ): Promise<R> {
    return this.#writer.write(work, respond, deadline);
  }

  /** Replaces all rows in one commit. @throws the errors of `write` */
  reset(items: ListItems): Promise<void> {
    return this.#generations.reset(items);
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

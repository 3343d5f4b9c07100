import { clock, type Timer } from '../clock.ts';
import type { Row, Schema } from '../table/schema/column.ts';
import type { Table } from '../table/table.ts';
import type { Synchronous } from '../table/write/synchronous.ts';
import type { ItemFields } from '../todo/item-api.ts';
import type { SharedCommit, SharedStore, StoreStats } from '../todo/store/shared-store.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { EtcdError } from './etcd/error.ts';
import { View } from './read/etcd-follower.ts';
import { History } from './read/history.ts';
import { ReadIndex } from './read/read-index.ts';
import { Keys } from './stored/keys.ts';
import { type IncompatibleError, metaOf, newMeta, type ReplicaIdentity } from './stored/meta.ts';
import { rowCodec } from './stored/row-codec.ts';
import { StoredList } from './stored/stored-list.ts';
import { Committer } from './write/committer.ts';
import { Generations } from './write/generations.ts';
import { HeadWriter, UnknownOutcomeError } from './write/head-writer.ts';
import type { Fail } from './write/store-error.ts';

/** How often to check that etcd responds, in milliseconds. Readiness depends on it. */
const PROBE_MS = 1_000;

/** How old etcd's last response may be while the replica is ready, in milliseconds. */
const MAX_RESPONSE_AGE_MS = 3_000;

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

/** The callbacks of a replica. */
export interface ReplicaEvents {
  /** Makes the error for the caller of an operation that failed. */
  readonly fail: Fail;
  /** Called when the stored list is incompatible; the replica no longer follows it. */
  readonly onIncompatible: (error: IncompatibleError) => void;
  /** Called with the reason when etcd cannot be followed, with undefined once it can again. */
  readonly onUnreachable: (reason: string | undefined) => void;
}

/** One of several replicas that serve one list, which they keep in etcd (docs/replicas.md). */
export class Replica implements SharedStore {
  readonly #settings: ReplicaSettings;
  readonly #events: ReplicaEvents;
  readonly #client: EtcdClient;
  readonly #view: View;
  readonly #readIndex: ReadIndex;
  readonly #committer: Committer;
  readonly #generations: Generations;
  readonly #probe: Timer;
  readonly #history: History;

  /** @param fields the table's schema */
  constructor(
    settings: ReplicaSettings,
    events: ReplicaEvents,
    fields: Schema,
    table: Table<ItemFields>,
    seedRows: () => readonly Row<ItemFields>[],
  ) {
    const { etcd, prefix, timeoutMs, identity } = settings;
    const { fail, onIncompatible, onUnreachable } = events;
    const codec = rowCodec(fields);
    const client = new EtcdClient(etcd);
    const keys = new Keys(prefix);
    const list = new StoredList(client, keys);
    const newWriter = () => new HeadWriter(client, keys, list);
    this.#settings = settings;
    this.#events = events;
    this.#client = client;
    // A writer of its own, because a reset may write while the committer does.
    const resetter = newWriter();
    this.#generations = new Generations({
      ...{ client, keys, codec, seedRows, timeoutMs, writer: resetter },
    });
    this.#view = new View({
      ...{ client, keys, list, codec, table, onIncompatible, onUnreachable },
      accept: ({ meta }) => metaOf(meta.value, prefix, identity),
      begin: () => this.#generations.begin(newMeta(identity)),
    });
    this.#readIndex = new ReadIndex(list, this.#view, timeoutMs);
    this.#committer = new Committer({
      ...{ keys, codec, table, timeoutMs, fail, view: this.#view, readIndex: this.#readIndex },
      writer: newWriter(),
    });
    this.#history = new History({ client, keys, list, timeoutMs, view: this.#view });
    this.#probe = clock.setInterval(() => this.#readIndex.wait().catch(() => {}), PROBE_MS).unref();
    this.#view.follow();
  }

  get listId(): string {
    return this.#view.meta?.value.id ?? '';
  }

  get isLoaded(): boolean {
    return this.#view.isLoaded;
  }

  get history(): string {
    return this.listId;
  }

  read<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#settings.readsLocally && this.isLoaded) return work();
    return this.catchUp().then(work);
  }

  async write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): Promise<R> {
    return respond(await this.#committer.write(work), this.#view.head?.revision ?? 0);
  }

  async catchUp(): Promise<void> {
    try {
      await this.#readIndex.wait();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async reset(): Promise<void> {
    try {
      await this.#generations.reset(this.#view);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async commits(after: number, through: number): Promise<readonly SharedCommit[] | undefined> {
    try {
      return await this.#history.page(after, through);
    } catch (error) {
      throw error instanceof EtcdError ? this.#failure(error) : error;
    }
  }

  get notReadyReason(): string | undefined {
    if (!this.isLoaded) return 'The list has not been loaded yet';
    if (this.#settings.readsLocally) return undefined;
    if (!this.#view.isFollowing) return 'The list cannot be followed';
    const hasResponded = clock.now() - this.#readIndex.lastResponse < MAX_RESPONSE_AGE_MS;
    return hasResponded ? undefined : 'etcd does not answer';
  }

  get stats(): StoreStats {
    return {
      revision: this.#view.head?.revision ?? 0,
      lag: this.#view.lag,
      retries: this.#client.retries,
      conflicts: this.#committer.conflicts,
      unknownOutcomes: this.#committer.unknownOutcomes,
      loads: this.#view.loads,
    };
  }

  close(): void {
    clock.clear(this.#probe);
    this.#view.close();
    this.#client.close();
  }

  #failure(error: unknown): Error {
    const detail = error instanceof Error ? error.message : String(error);
    const isUncertain = error instanceof UnknownOutcomeError;
    return this.#events.fail(isUncertain ? 'outcome-unknown' : 'store-unavailable', detail);
  }
}

import { hash } from 'node:crypto';
import { clock, type Timer } from '../clock.ts';
import { TableFullError } from '../table/errors.ts';
import type { Schema } from '../table/schema/column.ts';
import type { Synchronous } from '../table/write/transactions.ts';
import { storeProblem } from '../todo/problems.ts';
import type { Items, Run, SeedItems } from '../todo/store/items.ts';
import type { Respond, Store, StoredCommit, StoreStats } from '../todo/store/store.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { messageOf } from './etcd/error.ts';
import type { ReplicaParts } from './parts.ts';
import { EtcdFollower } from './read/etcd-follower.ts';
import { History } from './read/history.ts';
import { ReadIndex } from './read/read-index.ts';
import { ReplicaTable } from './read/replica-table.ts';
import { keysOf } from './stored/keys.ts';
import type { IncompatibleError, ReplicaIdentity } from './stored/meta.ts';
import { rowCodec } from './stored/row-codec.ts';
import { StoredList } from './stored/stored-list.ts';
import { CommitWriter, UnknownOutcomeError } from './write/commit-writer.ts';
import { Committer } from './write/committer.ts';
import { MAX_ROWS } from './write/dry-run.ts';
import { Generations } from './write/generations.ts';
import { openList } from './write/open-list.ts';

/** How often to check that etcd answers, in milliseconds. Readiness depends on it. */
const PROBE_MS = 1_000;

/** How old etcd's last answer may be while the replica is ready, in milliseconds. */
const MAX_ANSWER_AGE_MS = 3_000;

/** After how many failed probes in a row the store counts as unavailable. */
const MIN_FAILED_PROBES = 2;

/** How many characters of a fingerprint to use, 6 bits each. */
const FINGERPRINT_LENGTH = 12;

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
  /** The version of the service. It may show items in another way than others do. */
  readonly version: string;
}

/** The callbacks of a replica. */
export interface ReplicaEvents {
  /** Called when the stored list is incompatible; the replica no longer follows it. */
  readonly onIncompatible: (error: IncompatibleError) => void;
  /** Called with the reason when the store cannot be used, with undefined once it can again. */
  readonly onUnavailable: (reason: string | undefined) => void;
  /** Called with the key of a stored row that cannot be read, and the reason. */
  readonly onUnreadable: (key: string, reason: string) => void;
}

/** One of several replicas that serve one list, which they keep in etcd (docs/replicas.md). */
export class Replica implements Store {
  readonly maxRowsPerWrite = MAX_ROWS;
  readonly problems: Store['problems'] = {
    ofReads: ['store-unavailable'],
    ofWrites: ['store-unavailable', 'outcome-unknown'],
  };
  readonly representation: string;
  readonly items: Items;
  readonly #settings: ReplicaSettings;
  readonly #events: ReplicaEvents;
  readonly #parts: ReplicaParts;
  readonly #committer: Committer;
  readonly #generations: Generations;
  readonly #history: History;
  readonly #probing: Timer;
  #lastError: string | undefined;
  /** In how many probes in a row the store could not be used. */
  #failedProbes = 0;

  /**
   * @param schema that of the items
   * @throws TableFullError if the seed does not fit
   */
  constructor(
    settings: ReplicaSettings,
    events: ReplicaEvents,
    schema: Schema,
    items: Items,
    run: Run,
  ) {
    const { etcd, prefix, timeoutMs, identity, version } = settings;
    const { onIncompatible, onUnreadable } = events;
    // The seed has to fit, even if the list exists already.
    for (const _ of items.seedItems());
    const list = new StoredList(new EtcdClient(etcd), keysOf(prefix));
    const rows = new ReplicaTable(items.table, rowCodec(schema), onUnreadable);
    const writer = new CommitWriter(list);
    const follower = new EtcdFollower({
      ...{ list, rows },
      open: () => openList(list, schema, identity, (meta) => this.#generations.begin(meta)),
      onError: (error) => {
        writer.beginHistory();
        this.#lastError = messageOf(error);
      },
    });
    const readIndex = new ReadIndex(list, follower, timeoutMs);
    const seedItems = async (seed?: SeedItems) => run(items.seedItems(seed));
    const parts = { list, rows, writer, follower, readIndex, seedItems, timeoutMs };
    this.representation = `.${fingerprintOf(version, schema)}`;
    this.items = items;
    this.#settings = settings;
    this.#events = events;
    this.#parts = parts;
    this.#committer = new Committer(parts);
    this.#generations = new Generations(parts);
    this.#history = new History(parts);
    this.#probing = clock.setInterval(() => this.#probe(), PROBE_MS).unref();
    follower.follow().catch(onIncompatible);
  }

  historyOf(number: number): string {
    return this.#parts.follower.historyOf(number);
  }

  get isLoaded(): boolean {
    return this.#parts.follower.head !== undefined;
  }

  read<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#settings.readsLocally && this.isLoaded) return work();
    return this.catchUp().then(work);
  }

  write<T extends Synchronous, R>(work: () => T, respond: Respond<T, R>): Promise<R> {
    return this.#committer.write(work, respond);
  }

  catchUp(): Promise<void> {
    return orProblem(this.#parts.readIndex.wait());
  }

  reset(seed?: SeedItems): Promise<void> {
    return orProblem(this.#generations.reset(seed));
  }

  commits(after: number, through: number): Promise<readonly StoredCommit[] | undefined> {
    return orProblem(this.#history.page(after, through));
  }

  get notReadyReason(): string | undefined {
    return this.isLoaded && this.#settings.readsLocally ? undefined : this.#problem;
  }

  get stats(): StoreStats {
    const { list, follower } = this.#parts;
    return {
      revision: follower.head?.revision ?? 0,
      lag: follower.lag,
      retries: list.client.retries,
      conflicts: this.#committer.conflicts,
      unknownOutcomes: this.#committer.unknownOutcomes,
      loads: follower.loads,
    };
  }

  close(): void {
    clock.clear(this.#probing);
    this.#parts.follower.close();
    this.#parts.list.client.close();
  }

  /** Why the store cannot be used; undefined if it can. */
  get #problem(): string | undefined {
    if (!this.isLoaded) return 'The list has not been loaded yet';
    if (!this.#parts.follower.isFollowing) return 'The list cannot be followed';
    const age = clock.now() - this.#parts.list.client.lastAnswer;
    return age < MAX_ANSWER_AGE_MS ? undefined : 'etcd has served no request for 3 s';
  }

  /** Asks etcd, and says so once if the store is no longer available, and once if it is again. */
  #probe(): void {
    this.#parts.readIndex.wait().catch((error) => {
      this.#lastError = messageOf(error);
    });
    const problem = this.#problem;
    if (problem === undefined) {
      if (this.#failedProbes >= MIN_FAILED_PROBES) this.#events.onUnavailable(undefined);
      this.#failedProbes = 0;
      this.#lastError = undefined;
    } else if (this.isLoaded || this.#lastError !== undefined) {
      const reason = [problem, this.#lastError].filter(Boolean).join(': ');
      if (++this.#failedProbes === MIN_FAILED_PROBES) this.#events.onUnavailable(reason);
    }
  }
}

/** @throws Problem of the store instead of what the work throws, unless the seed does not fit */
async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TableFullError) throw error;
    const code = error instanceof UnknownOutcomeError ? 'outcome-unknown' : 'store-unavailable';
    throw storeProblem(code, messageOf(error));
  }
}

/** Distinguishes how a version shows items that have these fields. */
function fingerprintOf(version: string, schema: Schema): string {
  const text = JSON.stringify([version, schema], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

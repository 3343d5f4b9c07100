import { hash } from 'node:crypto';
import type { ItemFields, Items, Run, SeedItems } from '../../service/store/items.ts';
import { storeProblem } from '../../service/store/problems.ts';
import type { Store } from '../../service/store/store.ts';
import { TableFullError } from '../table/index.ts';
import { Availability } from './availability.ts';
import { EtcdClient, type EtcdSettings } from './etcd/client.ts';
import { messageOf } from './etcd/error.ts';
import type { ReplicaParts } from './parts.ts';
import { EtcdFollower } from './read/etcd-follower.ts';
import { historyReader } from './read/history.ts';
import { ReadIndex } from './read/read-index.ts';
import { ReplicaTable } from './read/replica-table.ts';
import { keysOf } from './stored/keys.ts';
import type { IncompatibleError, ReplicaIdentity } from './stored/meta.ts';
import { rowCodec } from './stored/row-codec.ts';
import { StoredList } from './stored/stored-list.ts';
import { CommitWriter, UnknownOutcomeError } from './write/commit-writer.ts';
import { Committer } from './write/committer.ts';
import { MAX_ROWS } from './write/dry-run.ts';
import { resetList } from './write/generations.ts';
import { openList } from './write/open-list.ts';

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

/**
 * The items of a list that several replicas share, and keep in etcd (docs/replicas.md).
 * @throws TableFullError if the seed does not fit
 */
export function replicaStore(
  settings: ReplicaSettings,
  events: ReplicaEvents,
  fields: ItemFields,
  items: Items,
  run: Run,
): Store {
  const { etcd, prefix, readsLocally, timeoutMs, identity, version } = settings;
  // The seed has to fit, even if the list exists already.
  for (const _ of items.seedItems());
  const list = new StoredList(new EtcdClient(etcd), keysOf(prefix));
  const rows = new ReplicaTable(items.table, rowCodec(fields), events.onUnreadable);
  const writer = new CommitWriter(list);
  const follower = new EtcdFollower({
    ...{ list, rows },
    open: () => openList(parts, fields, identity),
    onError: (error) => {
      writer.beginHistory();
      availability.lastError = messageOf(error);
    },
  });
  const readIndex = new ReadIndex(list, follower, timeoutMs);
  const seedItems = async (seed?: SeedItems) => run(items.seedItems(seed));
  const parts: ReplicaParts = { list, rows, writer, follower, readIndex, seedItems, timeoutMs };
  const committer = new Committer(parts);
  const history = historyReader(parts);
  const availability = new Availability(parts, events.onUnavailable);
  const catchUp = () => orProblem(readIndex.wait());
  follower.follow().catch(events.onIncompatible);

  return {
    items,
    maxRowsPerWrite: MAX_ROWS,
    problems: {
      ofReads: ['store-unavailable'],
      ofWrites: ['store-unavailable', 'outcome-unknown'],
    },
    representation: `.${fingerprintOf(version, fields)}`,
    historyOf: (number) => follower.historyOf(number),
    get isLoaded() {
      return follower.isLoaded;
    },
    read: (work) => (readsLocally && follower.isLoaded ? work() : catchUp().then(work)),
    write: (work, respond) => committer.write(work, respond),
    catchUp,
    reset: (seed) => orProblem(resetList(parts, seed)),
    commits: (after, through) => orProblem(history(after, through)),
    get notReadyReason() {
      return readsLocally && follower.isLoaded ? undefined : availability.problem;
    },
    get stats() {
      return {
        revision: follower.head?.revision ?? 0,
        lag: follower.waiters.lag,
        retries: list.client.retries,
        conflicts: committer.conflicts,
        unknownOutcomes: committer.unknownOutcomes,
        loads: follower.loads,
      };
    },
    close() {
      availability.close();
      follower.close();
      list.client.close();
    },
  };
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

/** Distinguishes how a version shows items that have these fields, by 72 bits. */
function fingerprintOf(version: string, fields: ItemFields): string {
  const text = JSON.stringify([version, fields], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url').slice(0, 12);
}

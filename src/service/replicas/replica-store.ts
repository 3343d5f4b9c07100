import { Problem } from '../../lib/http/index.ts';
import { loadModule } from '../../lib/lazy.ts';
import {
  InterruptedWriteError,
  Replica,
  type ReplicaEvents,
  type ReplicaSettings,
  StoreError,
  UnknownOutcomeError,
} from '../../lib/replica/index.ts';
import { runToEnd } from '../../lib/steps.ts';
import type { ItemFields, Items, Run, SeedItems } from '../store/items.ts';
import { mapFullError } from '../store/problems.ts';
import type { Sharing, Store } from '../store/store.ts';
import { replicaMetrics } from './metrics.ts';
import {
  INTERRUPTED_WRITE,
  interruptedWrite,
  OUTCOME_UNKNOWN,
  STORE_UNAVAILABLE,
  storeProblem,
} from './problems.ts';
import { type LimitedStore, writeInSeveralCommits } from './several-commits.ts';

/** The settings of a replica, and the version of the service, which determines items' JSON. */
export type ReplicaStoreSettings = ReplicaSettings & { readonly version: string };

/**
 * The items in a list that several replicas share, and keep in etcd (docs/replicas.md).
 * @param events `onFault` receives the error of a bug after which the outcome of a write is unknown
 * @throws TableFullError if the seed does not fit, even if the list exists already
 */
export function replicaStore(
  settings: ReplicaStoreSettings,
  events: ReplicaEvents & { readonly onFault: (fault: unknown) => void },
  fields: ItemFields,
  items: Items,
  run: Run,
): Store & { readonly sharing: Sharing } {
  runToEnd(items.replacement());
  const { table } = items;
  const replica = new Replica(settings, events, { schema: fields, table, makeRows });
  let unknownOutcomes = 0;
  const read: Store['read'] = (work) => mapError(replica.read(work));
  const write: Store['write'] = (work, respond) =>
    mapError(replica.write(() => mapFullError(work), respond));
  const limited: LimitedStore = { items, maxRowsPerWrite: replica.maxRowsPerWrite, read, write };
  return {
    items,
    read,
    write: (work, respond) => countUnknown(write(work, respond)),
    writeMatching: (matching) => countUnknown(writeInSeveralCommits(limited, matching)),
    reset: (seed) => countUnknown(mapError(replica.reset(() => makeRows(seed)))),
    generation: () => replica.generation,
    listId: () => replica.listId,
    sharing: {
      representation: `.${fingerprintOf(settings.version, fields)}`,
      problems: {
        ofReads: [STORE_UNAVAILABLE],
        ofWrites: [STORE_UNAVAILABLE, OUTCOME_UNKNOWN, INTERRUPTED_WRITE],
      },
      notReadyProblem: () => {
        const { notReadyReason: reason } = replica;
        return reason === undefined ? undefined : storeProblem('store-unavailable', reason);
      },
      metrics: (isReady) => replicaMetrics({ ...replica.stats, unknownOutcomes }, isReady),
      close: () => replica.close(),
    },
  };

  async function makeRows(seed?: SeedItems) {
    const { items: rows, replacement } = await run(items.replacement(seed));
    return { rows, idsAssigned: replacement.idsAssigned };
  }

  /** Counts writes of unknown outcome. */
  async function countUnknown<T>(written: T | Promise<T>): Promise<T> {
    try {
      return await written;
    } catch (error) {
      if (error instanceof Problem && error.code === OUTCOME_UNKNOWN.code) unknownOutcomes++;
      throw error;
    }
  }

  /** @throws an error of the store as a Problem */
  async function mapError<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw problemOf(error) ?? error;
    }
  }

  function problemOf(error: unknown): Problem | undefined {
    if (error instanceof UnknownOutcomeError) return storeProblem('outcome-unknown', error.message);
    if (error instanceof StoreError) return storeProblem('store-unavailable', error.message);
    if (!(error instanceof InterruptedWriteError)) return undefined;
    // A problem that the work threw on purpose may have interrupted it, too.
    if (error.cause instanceof Problem) return error.cause;
    events.onFault(error.cause);
    return interruptedWrite();
  }
}

/** Identifies the JSON form of items with these fields in a version, by 72 bits. */
function fingerprintOf(version: string, fields: ItemFields): string {
  const text = JSON.stringify([version, fields], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const { hash } = loadModule('node:crypto');
  return hash('sha256', text, 'base64url').slice(0, 12);
}

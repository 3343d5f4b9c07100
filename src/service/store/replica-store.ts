import { hash } from 'node:crypto';
import { Problem } from '../../lib/http/index.ts';
import {
  InterruptedWriteError,
  Replica,
  type ReplicaEvents,
  type ReplicaSettings,
  StoreError,
  UnknownOutcomeError,
} from '../../lib/replica/index.ts';
import { IdsExhaustedError } from '../../lib/table/index.ts';
import type { ItemFields, Items, Run, SeedItems } from './items.ts';
import {
  INTERRUPTED_WRITE,
  interruptedWrite,
  OUTCOME_UNKNOWN,
  STORE_UNAVAILABLE,
  storeProblem,
  storing,
} from './problems.ts';
import type { Store } from './store.ts';

/** The settings of a replica, and the version of the service: others may show items otherwise. */
export type ReplicaStoreSettings = ReplicaSettings & { readonly version: string };

/**
 * The items in a list that several replicas share, and keep in etcd (docs/replicas.md).
 * @param events `onFault` gets a fault that leaves it open what became of a write
 * @throws TableFullError if the seed does not fit, even if the list exists already
 */
export function replicaStore(
  settings: ReplicaStoreSettings,
  events: ReplicaEvents & { readonly onFault: (fault: unknown) => void },
  fields: ItemFields,
  items: Items,
  run: Run,
): Required<Store> {
  for (const _ of items.replacement());
  const { table } = items;
  const replica = new Replica(settings, events, { schema: fields, table, makeRows });
  let unknownOutcomes = 0;
  return {
    items,
    representation: `.${fingerprintOf(settings.version, fields)}`,
    maxRowsPerWrite: replica.maxRowsPerWrite,
    problems: {
      ofReads: [STORE_UNAVAILABLE],
      ofWrites: [STORE_UNAVAILABLE, OUTCOME_UNKNOWN, INTERRUPTED_WRITE],
    },
    read(work) {
      const result = replica.read(work);
      return result instanceof Promise ? orProblem(result) : result;
    },
    write: (work, respond, told) =>
      orProblem(
        replica.write(() => storing(work), respond),
        told,
      ),
    reset: (seed) => orProblem(replica.reset(() => makeRows(seed))),
    generation: () => replica.generation,
    refuseWaiting: () => replica.requests.refuseOldest(),
    historyOf: (number) => replica.historyOf(number),
    catchUp: () => orProblem(replica.catchUp()),
    commits: (after, through) => orProblem(replica.commits(after, through)),
    isLoaded: () => replica.isLoaded,
    unreadiness: () => {
      const { notReadyReason: reason } = replica;
      return reason === undefined ? undefined : storeProblem('store-unavailable', reason);
    },
    stats: () => ({ ...replica.stats, unknownOutcomes }),
    close: () => replica.close(),
  };

  async function makeRows(seed?: SeedItems) {
    const { items: rows, replacement } = await run(items.replacement(seed));
    const { idsAssigned } = replacement;
    // Replicas know the last id by its distance from the first one, as a number of JSON.
    if (idsAssigned > 2 ** 52) throw new IdsExhaustedError(2 ** 52);
    return { rows, idsAssigned };
  }

  /** @throws what `told` makes of an error, as a problem if it is an error of the store */
  async function orProblem<T>(result: Promise<T>, told = (error: unknown) => error): Promise<T> {
    try {
      return await result;
    } catch (error) {
      const thrown = told(problemOf(error) ?? error);
      if (thrown instanceof Problem && thrown.code === 'outcome-unknown') unknownOutcomes++;
      throw thrown;
    }
  }

  function problemOf(error: unknown): Problem | undefined {
    if (error instanceof UnknownOutcomeError) return storeProblem('outcome-unknown', error.reason);
    if (error instanceof StoreError) return storeProblem('store-unavailable', error.reason);
    if (!(error instanceof InterruptedWriteError)) return undefined;
    // A problem that the work threw on purpose may have interrupted it, too.
    if (error.cause instanceof Problem) return error.cause;
    events.onFault(error.cause);
    return interruptedWrite();
  }
}

/** Distinguishes how a version shows items that have these fields, by 72 bits. */
function fingerprintOf(version: string, fields: ItemFields): string {
  const text = JSON.stringify([version, fields], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url').slice(0, 12);
}

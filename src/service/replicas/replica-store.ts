import { Problem } from '../../lib/http/index.ts';
import {
  Replica,
  type ReplicaEvents,
  type ReplicaSettings,
  StoreError,
  UnknownOutcomeError,
} from '../../lib/replica/index.ts';
import { type Awaitable, runToEnd } from '../../lib/steps.ts';
import { BulkWriteQueue } from '../store/bulk-write-queue.ts';
import type { Items, Run, SeedItems } from '../store/items.ts';
import type { SharedStore } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { replicaMetrics } from './metrics.ts';
import { outcomeUnknown, unavailable } from './problems.ts';
import { writeMatching } from './several-commits.ts';

/**
 * The items in a list that several replicas share, and keep in etcd (docs/replicas.md).
 * @throws TableFullError if the seed does not fit, even if the list exists already
 */
export function replicaStore(
  settings: ReplicaSettings,
  events: ReplicaEvents,
  items: Items,
  run: Run,
): SharedStore {
  // Checks the seed at every start, not only when the list is created.
  runToEnd(items.makeItems());
  const { table } = items;
  const replica = new Replica(settings, events, { table, makeRows });
  const queue = new BulkWriteQueue();
  let unknownOutcomes = 0;
  return {
    items,
    read: (work) => mapError(replica.read(work)),
    write: (work, respond) => mapError(replica.write(work, respond)),
    writeMatching: (matching) =>
      mapError(queue.run(matching.wait, () => writeMatching(items, replica, matching))),
    reset: (seed) => mapError(replica.reset(() => makeRows(seed))),
    // Versions of the service may differ in the JSON of items.
    listId: () => (replica.listId === '' ? '' : `${replica.listId}.${VERSION}`),
    notReadyProblem: () => replica.problem && unavailable(replica.problem),
    metrics: (isReady) => replicaMetrics({ ...replica.stats, unknownOutcomes }, isReady),
    close: () => replica.close(),
  };

  async function makeRows(seed?: SeedItems) {
    const { items: rows, idsAssigned } = await run(items.makeItems(seed));
    return { rows, idsAssigned };
  }

  /** Maps an error of the store to a Problem, and counts writes of unknown outcome. */
  async function mapError<T>(result: Awaitable<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      const problem = problemOf(error);
      if (problem instanceof Problem && problem.code === 'outcome-unknown') unknownOutcomes++;
      throw problem;
    }
  }

  function problemOf(error: unknown): unknown {
    if (error instanceof UnknownOutcomeError) return outcomeUnknown(error);
    return error instanceof StoreError ? unavailable(error) : error;
  }
}

import { Problem, type Response, withHeaders } from '../lib/http/index.ts';
import type { Lists } from '../service/lists/lists.ts';
import { BulkWriteQueue } from '../service/store/bulk-write-queue.ts';
import type { Store } from '../service/store/store.ts';
import { VERSION } from '../service/version.ts';
import { asItems } from './as-items.ts';
import type { ReplicaStats } from './metrics.ts';
import { outcomeUnknown, unavailable } from './problems.ts';
import {
  Replica,
  type ReplicaEvents,
  type ReplicaSettings,
  StoreError,
  UNSTORED,
  UnknownOutcomeError,
} from './replica/index.ts';
import { writeMatching } from './several-commits.ts';

/** A store that keeps its items in etcd. */
export interface ReplicaStore extends Store {
  /** Waits until the items have all acknowledged writes. @throws Problem */
  catchUp(): Promise<void>;
  readonly isLoaded: boolean;
  /** Why it cannot serve now; undefined if it can. */
  readonly problem: Problem | undefined;
  readonly stats: ReplicaStats;
  close(): void;
}

/** Keeps the list at the base path in etcd, which several replicas share (docs/replicas.md). */
export function replicaStore(
  settings: ReplicaSettings,
  events: ReplicaEvents,
  lists: Lists,
): ReplicaStore {
  const { base } = lists;
  const empty = base.list.items.createEmpty();
  const replica = new Replica(settings, events, {
    empty,
    makeSeed: async () => {
      const seed = empty.createEmpty();
      await lists.fill(seed);
      return seed;
    },
    onLoad: () => lists.mountItemsOf(base, store),
  });
  const queue = new BulkWriteQueue();
  let unknownOutcomes = 0;
  const store: ReplicaStore = {
    // Versions of the service may differ in the JSON of items.
    get id() {
      return `${replica.listId}.${VERSION}`;
    },
    get items() {
      return asItems(replica.items);
    },
    write: (work) => mapError(replica.write((fork) => work(asItems(fork)), withNumber)),
    writeMatching: (matching) => {
      const write = (hasWaited: boolean) =>
        inTurn(hasWaited, () => writeMatching(replica, matching));
      return mapError(queue.run(matching.wait, write));
    },
    async replace(items, hasWaited) {
      await mapError(inTurn(hasWaited, () => replica.reset(items)));
      return store;
    },
    catchUp: () => mapError(replica.read(() => {})),
    get isLoaded() {
      return replica.listId !== '';
    },
    get problem() {
      return replica.problem && unavailable(replica.problem);
    },
    get stats() {
      return { ...replica.stats, unknownOutcomes };
    },
    close: () => replica.close(),
  };
  lists.mountItemsOf(base, store);
  // A client of another replica may resume its event stream here.
  if (base.hub !== undefined) base.hub.hasBeenOpened = true;
  return store;

  /**
   * Runs a write in its turn. While etcd is away, only the first one waits for it; those behind it fail
   * with it, because each would wait as long again.
   */
  async function inTurn<T>(hasWaited: boolean, write: () => Promise<T>): Promise<T> {
    if (hasWaited && replica.problem !== undefined) throw replica.problem;
    return write();
  }

  /** Maps an error of the store to a Problem, and counts writes of unknown outcome. */
  async function mapError<T>(result: Promise<T>): Promise<T> {
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

/** The end of the entity tag of an item that a commit has written, before it was stored. */
const UNSTORED_TAG = `.${UNSTORED}"`;

/** The response to a write that is now stored, with the number of its commit in the entity tag. */
function withNumber(response: Response, number: number): Response {
  const { ETag = '' } = response.headers ?? {};
  if (!ETag.endsWith(UNSTORED_TAG)) return response;
  return withHeaders(response, { ETag: `${ETag.slice(0, -UNSTORED_TAG.length)}.${number}"` });
}

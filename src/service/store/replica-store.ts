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
import { IdsExhaustedError, type Synchronous } from '../../lib/table/index.ts';
import type { ItemFields, Items, Run, SeedItems } from './items.ts';
import {
  INTERRUPTED_WRITE,
  interruptedWrite,
  OUTCOME_UNKNOWN,
  STORE_UNAVAILABLE,
  storeProblem,
} from './problems.ts';
import type { Respond, Store, StoredCommit } from './store.ts';

/** The settings of a store that replicas share. */
export interface ReplicaStoreSettings extends ReplicaSettings {
  /** The version of the service. It may show items in another way than others do. */
  readonly version: string;
}

/** The callbacks of a store that replicas share. */
export interface ReplicaStoreEvents extends ReplicaEvents {
  /** Called with the fault that has left it open what became of a write. */
  readonly onFault: (fault: unknown) => void;
}

/** The items in a list that several replicas share, and keep in etcd (docs/replicas.md). */
export class ReplicaStore implements Store {
  readonly items: Items;
  readonly representation: string;
  readonly maxRowsPerWrite: number;
  readonly problems: Store['problems'] = {
    ofReads: [STORE_UNAVAILABLE],
    ofWrites: [STORE_UNAVAILABLE, OUTCOME_UNKNOWN, INTERRUPTED_WRITE],
  };
  readonly #replica: Replica;
  readonly #run: Run;
  readonly #onFault: ReplicaStoreEvents['onFault'];

  /** @throws TableFullError if the seed does not fit, even if the list exists already */
  constructor(
    settings: ReplicaStoreSettings,
    events: ReplicaStoreEvents,
    fields: ItemFields,
    items: Items,
    run: Run,
  ) {
    for (const _ of items.seedItems());
    this.items = items;
    this.representation = `.${fingerprintOf(settings.version, fields)}`;
    this.#run = run;
    this.#onFault = events.onFault;
    const makeRows = () => this.#seedItems();
    this.#replica = new Replica(settings, events, { schema: fields, table: items.table, makeRows });
    this.maxRowsPerWrite = this.#replica.maxRowsPerWrite;
  }

  read<T>(work: () => T | Promise<T>): T | Promise<T> {
    const result = this.#replica.read(work);
    return result instanceof Promise ? this.#orProblem(result) : result;
  }

  write<T extends Synchronous, R>(work: () => T, respond: Respond<T, R>): Promise<R> {
    return this.#orProblem(this.#replica.write(work, respond));
  }

  reset(seed?: SeedItems): Promise<void> {
    return this.#orProblem(this.#replica.reset(() => this.#seedItems(seed)));
  }

  refuseWaiting(): boolean {
    return this.#replica.requests.refuseOldest();
  }

  historyOf(number: number): string {
    return this.#replica.historyOf(number);
  }

  catchUp(): Promise<void> {
    return this.#orProblem(this.#replica.catchUp());
  }

  commits(after: number, through: number): Promise<readonly StoredCommit[] | undefined> {
    return this.#orProblem(this.#replica.commits(after, through));
  }

  get isLoaded(): boolean {
    return this.#replica.isLoaded;
  }

  get notReadyReason(): string | undefined {
    return this.#replica.notReadyReason;
  }

  get stats() {
    return this.#replica.stats;
  }

  close(): void {
    this.#replica.close();
  }

  async #seedItems(seed?: SeedItems) {
    const replacement = this.items.table.replacement();
    const rows = await this.#run(this.items.seedItems(seed, replacement));
    // Replicas know the last id by its distance from the first one, as a number of JSON.
    if (replacement.idsAssigned > 2 ** 52) throw new IdsExhaustedError(2 ** 52);
    return { rows, idsAssigned: replacement.idsAssigned };
  }

  /** @throws the problem of an error of the store; any other error as it is */
  async #orProblem<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (error instanceof UnknownOutcomeError) throw storeProblem('outcome-unknown', error.reason);
      if (error instanceof StoreError) throw storeProblem('store-unavailable', error.reason);
      if (!(error instanceof InterruptedWriteError)) throw error;
      // Also what a response is meant to throw has interrupted it.
      if (error.cause instanceof Problem) throw error.cause;
      this.#onFault(error.cause);
      throw interruptedWrite();
    }
  }
}

/** Distinguishes how a version shows items that have these fields, by 72 bits. */
function fingerprintOf(version: string, fields: ItemFields): string {
  const text = JSON.stringify([version, fields], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url').slice(0, 12);
}

import { clock } from '../../clock.ts';
import type { Synchronous } from '../../table/table.ts';
import type { Items, Run, SeedItems } from './items.ts';
import type { Respond, Store } from './store.ts';

/** The items of this process: nothing has to wait. */
export class MemoryStore implements Store {
  readonly representation = '';
  readonly maxRowsPerWrite = Number.POSITIVE_INFINITY;
  readonly isLoaded = true;
  readonly notReadyReason = undefined;
  readonly stats = undefined;
  readonly problems = { ofReads: [], ofWrites: [] };
  readonly #history = runId();
  readonly #items: Items;
  readonly #run: Run;

  /** @throws TableFullError if the seed does not fit */
  constructor(items: Items, run: Run) {
    items.fill();
    this.#items = items;
    this.#run = run;
  }

  read<T>(work: () => T): T {
    return work();
  }

  write<T extends Synchronous, R>(work: () => T, respond: Respond<T, R>): R {
    const { table } = this.#items;
    const result = table.transaction(work);
    return respond(result, table.version);
  }

  reset(seed?: SeedItems): Promise<void> {
    return this.#items.reset(this.#run, seed);
  }

  historyOf(): string {
    return this.#history;
  }

  async catchUp(): Promise<void> {}

  /** The history of events has all commits that are kept. */
  async commits(): Promise<undefined> {}

  close(): void {}
}

/**
 * Makes an id of this run of the service, which no other has: as many random bits as a UUID, but
 * without loading `node:crypto`, which takes a tenth of the start. It is no secret.
 */
function runId(): string {
  const random = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  return [clock.time(), random(), random(), random()]
    .map((number) => number.toString(36))
    .join('-');
}

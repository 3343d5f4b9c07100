import { Problem } from '../../lib/http/index.ts';
import type { Steps } from '../../lib/steps.ts';
import type { BulkWrite, NonEmpty } from '../../lib/table/index.ts';
import { PageSearch } from '../resource/query/list-page.ts';
import type { Items } from './items.ts';
import { INTERRUPTED_WRITE, interruptedWrite, mapFullError, storeProblem } from './problems.ts';
import type { ItemChange, MatchingWrite, Selection, Store } from './store.ts';

type BulkWriteInSteps = Pick<BulkWrite, 'bytes' | 'find' | 'commit' | 'close'>;

function beginWrite({ table }: Items, where: Selection, change: ItemChange): BulkWriteInSteps {
  if (where !== 'all') {
    return change === 'deletion' ? table.removal(where) : table.modification(where, change);
  }
  if (change !== 'deletion') return table.modificationOfAll(change);
  return { bytes: 0, *find() {}, commit: () => table.removeAll(), close() {} };
}

/** Writes in one commit. @returns how many items match @throws Problem */
export async function writeInOneCommit(items: Items, matching: MatchingWrite): Promise<number> {
  const { where, run, checkReset, check, changeOf } = matching;
  checkReset();
  check();
  const write = beginWrite(items, where, changeOf());
  try {
    await run(new Finding(write));
    checkReset();
    check();
    return mapFullError(() => write.commit());
  } finally {
    write.close();
  }
}

/** The search for the items that match, with the memory that the write holds meanwhile. */
class Finding implements Steps {
  readonly #write: BulkWriteInSteps;
  readonly #steps: Steps;

  constructor(write: BulkWriteInSteps) {
    this.#write = write;
    this.#steps = write.find();
  }

  get bytes(): number {
    return this.#write.bytes;
  }

  next(): IteratorResult<undefined, void> {
    return this.#steps.next();
  }
}

/** A store that limits the rows of a write. */
export interface LimitedStore extends Pick<Store, 'items' | 'read'> {
  readonly maxRowsPerWrite: number;
  /** `Store.write`. @param mapError converts an error before it is thrown */
  write(work: () => number, mapError: (error: unknown) => unknown): Promise<number>;
}

/**
 * Writes in several commits, by ascending id. First finds the items that match. Each commit tests
 * its own items again.
 * @returns how many items match @throws Problem, which states how many items may have been written
 */
export async function writeInSeveralCommits(
  store: LimitedStore,
  { where, run, checkReset, check, changeOf }: MatchingWrite,
): Promise<number> {
  const { items, maxRowsPerWrite } = store;
  const conditions = where === 'all' ? [] : where;
  const ids = await store.read(async () => {
    const search = new PageSearch(items.table.cursor(conditions, { total: true }));
    await run(search);
    return search.found.map(({ id }) => id);
  });
  let change: ItemChange | undefined;
  let written = 0;
  for (let at = 0; at === 0 || at < ids.length; at += maxRowsPerWrite) {
    const values = ids.slice(at, at + maxRowsPerWrite);
    const work = () => {
      checkReset();
      if (at === 0) check();
      change ??= changeOf();
      const few: NonEmpty = [{ op: 'in', column: 'id', values }, ...conditions];
      return change === 'deletion' ? items.table.remove(few) : items.table.modify(few, change);
    };
    const mapError = (error: unknown) => withCounts(error, written, values.length, change);
    written += await store.write(work, mapError);
  }
  return written;
}

/** States how many items may have been written, unless it is certain that none has. */
function withCounts(error: unknown, written: number, atStake: number, change?: ItemChange) {
  // A bug has to be logged, whatever is known of the items.
  if (!(error instanceof Problem)) return error;
  const isUnknown = error.code === 'outcome-unknown';
  if (written === 0 && !isUnknown) return error;
  const most = isUnknown ? written + atStake : written;
  const effect = change === 'deletion' ? 'are gone' : 'have changed';
  const range = `at least ${written} and at most ${most}`;
  if (error.status === INTERRUPTED_WRITE.status) return interruptedWrite(`; ${range} ${effect}`);
  if (error.code === 'reset') {
    const detail = `The list was reset before this request was completed; before, ${range} ${effect}`;
    return new Problem(error, detail, { close: true });
  }
  return storeProblem('outcome-unknown', `${range} of the items ${effect}`);
}

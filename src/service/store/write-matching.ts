import { Problem, type Request } from '../../lib/http/index.ts';
import type { Steps } from '../../lib/steps.ts';
import { and, type BulkWrite, isVacuous, type NonEmpty } from '../../lib/table/index.ts';
import type { FieldValues } from '../resource/field.ts';
import { PageSearch } from '../resource/query/list-page.ts';
import type { Items } from './items.ts';
import { INTERRUPTED_WRITE, interruptedWrite, storeProblem, storing } from './problems.ts';
import type { Store } from './store.ts';

/** What becomes of the items that match: new values of some fields, or nothing is left of them. */
export type MatchingWrite = FieldValues | 'deletion';

type WriteInSteps = Pick<BulkWrite, 'bytes' | 'find' | 'commit' | 'close'>;

function beginWrite({ table }: Items, where: NonEmpty, write: MatchingWrite): WriteInSteps {
  if (!isVacuous(and(...where))) {
    return write === 'deletion' ? table.removal(where) : table.modification(where, write);
  }
  if (write !== 'deletion') return table.modificationOfAll(write);
  return { bytes: 0, *find() {}, commit: () => table.removeAll(), close() {} };
}

/**
 * Writes the items that match all conditions, in one commit if the store can, else in several, by
 * ascending id (api.md: "QUERY, where, DELETE by condition"). @throws Problem
 * @param writeOf says what becomes of them, or throws; called once, after the preconditions
 * @param check throws if a precondition does not hold; called in the first commit
 * @returns how many items match
 */
export async function writeMatching(
  store: Store,
  where: NonEmpty,
  request: Pick<Request, 'run'>,
  writeOf: () => MatchingWrite,
  check: () => void = () => {},
): Promise<number> {
  if (store.maxRowsPerWrite < Number.POSITIVE_INFINITY) {
    return inSeveralCommits(store, where, request, writeOf, check);
  }
  check();
  const write = beginWrite(store.items, where, writeOf());
  try {
    await request.run(new Finding(write));
    check();
    return storing(() => write.commit());
  } finally {
    write.close();
  }
}

/** The search for what matches, with the memory that the write holds meanwhile. */
class Finding implements Steps {
  readonly #write: WriteInSteps;
  readonly #steps: Steps;

  constructor(write: WriteInSteps) {
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

/** Settles first what matches; each commit tests its own again, and finds none after a reset. */
async function inSeveralCommits(
  store: Store,
  where: NonEmpty,
  request: Pick<Request, 'run'>,
  writeOf: () => MatchingWrite,
  check: () => void,
): Promise<number> {
  const { table } = store.items;
  let generation: string | undefined;
  const ids = await store.read(async () => {
    generation = store.generation();
    const search = new PageSearch(table.cursor(where, { total: true }));
    await request.run(search);
    return search.found.map(({ id }) => id);
  });
  let write: MatchingWrite | undefined;
  let written = 0;
  for (let at = 0; at === 0 || at < ids.length; at += store.maxRowsPerWrite) {
    const values = ids.slice(at, at + store.maxRowsPerWrite);
    const work = () => {
      if (at === 0) check();
      write ??= writeOf();
      if (store.generation() !== generation) return 0;
      const few: NonEmpty = [...where, { op: 'in', column: 'id', values }];
      return write === 'deletion' ? table.remove(few) : table.modify(few, write);
    };
    const told = (error: unknown) => failure(error, written, values.length, write);
    written += await store.write(work, (count) => count, told);
  }
  return written;
}

/** Says how many items may have been written, unless it is certain that none has. */
function failure(error: unknown, written: number, atStake: number, write?: MatchingWrite) {
  // A fault of our own has to be logged, whatever is known of the items.
  if (!(error instanceof Problem)) return error;
  const isUnknown = error.code === 'outcome-unknown';
  if (written === 0 && !isUnknown) return error;
  const most = isUnknown ? written + atStake : written;
  const effect = write === 'deletion' ? 'are gone' : 'have changed';
  const range = `at least ${written} and at most ${most}`;
  if (error.status === INTERRUPTED_WRITE.status) return interruptedWrite(`; ${range} ${effect}`);
  return storeProblem('outcome-unknown', `${range} of the items ${effect}`);
}

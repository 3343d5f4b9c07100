import { Problem, type Request } from '../../lib/http/index.ts';
import type { Steps } from '../../lib/steps.ts';
import { and, type BulkWrite, isVacuous, type NonEmpty } from '../../lib/table/index.ts';
import { PageSearch } from '../resource/query/list-page.ts';
import { storeProblem } from './problems.ts';
import type { Store } from './store.ts';

/**
 * Deletes the items that match all conditions (api.md: "QUERY, where, DELETE by condition"): in
 * one commit if the store can, else in several, by ascending id.
 * @param check throws if a precondition of the request does not hold; called in the first commit
 * @returns a promise of how many it has deleted
 */
export async function removeMatching(
  store: Store,
  where: NonEmpty,
  request: Pick<Request, 'run'>,
  check: () => void = () => {},
): Promise<number> {
  if (store.maxRowsPerWrite < Number.POSITIVE_INFINITY) {
    return inSeveralCommits(store, where, request, check);
  }
  check();
  if (isVacuous(and(...where))) return store.items.table.removeAll();
  const removal = store.items.table.removal(where);
  try {
    await request.run(new Finding(removal));
    check();
    return removal.commit();
  } finally {
    removal.close();
  }
}

/** The search of a removal, with the memory that the removal holds meanwhile. */
class Finding implements Steps {
  readonly #removal: BulkWrite;
  readonly #steps: Steps;

  constructor(removal: BulkWrite) {
    this.#removal = removal;
    this.#steps = removal.find();
  }

  get bytes(): number {
    return this.#removal.bytes;
  }

  next(): IteratorResult<undefined, void> {
    return this.#steps.next();
  }
}

/** The first read settles which items match; each commit tests its own again. */
async function inSeveralCommits(
  store: Store,
  where: NonEmpty,
  request: Pick<Request, 'run'>,
  check: () => void,
): Promise<number> {
  const { table } = store.items;
  const ids = await store.read(async () => {
    const search = new PageSearch(table.cursor(where));
    await request.run(search);
    return search.found.map(({ id }) => id);
  });
  let deleted = 0;
  for (let at = 0; at === 0 || at < ids.length; at += store.maxRowsPerWrite) {
    const values = ids.slice(at, at + store.maxRowsPerWrite);
    const work = () => {
      if (at === 0) check();
      return table.remove([...where, { op: 'in', column: 'id', values }]);
    };
    try {
      deleted += await store.write(work, (count) => count);
    } catch (error) {
      throw failure(error, deleted, values.length);
    }
  }
  return deleted;
}

/** Says how many items may be gone, unless it is certain that none is. */
function failure(error: unknown, deleted: number, atStake: number): unknown {
  const isUnknown = error instanceof Problem && error.code === 'outcome-unknown';
  if (deleted === 0 && !isUnknown) return error;
  const most = isUnknown ? deleted + atStake : deleted;
  const range = `at least ${deleted} and at most ${most}`;
  return storeProblem('outcome-unknown', `${range} of the items are gone`);
}

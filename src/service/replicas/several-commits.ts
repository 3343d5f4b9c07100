import { Problem } from '../../lib/http/index.ts';
import type { NonEmpty } from '../../lib/table/index.ts';
import { PageSearch } from '../resource/query/list-page.ts';
import type { ItemChange, MatchingWrite, Store } from '../store/store.ts';
import { INTERRUPTED_WRITE, interruptedWrite, storeProblem } from './problems.ts';

/** A store that limits the rows of a write. */
export interface LimitedStore extends Pick<Store, 'items' | 'read' | 'write'> {
  readonly maxRowsPerWrite: number;
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
    try {
      written += await store.write(work, (count) => count);
    } catch (error) {
      throw withCounts(error, written, values.length, change);
    }
  }
  return written;
}

/** States how many items may have been written, unless it is certain that none has. */
function withCounts(error: unknown, written: number, atStake: number, change?: ItemChange) {
  // An unexpected error must reach the log unchanged.
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

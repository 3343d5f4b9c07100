import { Problem } from '../../lib/http/index.ts';
import { type Replica, StoreError, UnknownOutcomeError } from '../../lib/replica/index.ts';
import type { NonEmpty } from '../../lib/table/index.ts';
import { PageSearch } from '../resource/query/list-page.ts';
import { fullProblem } from '../store/full-store.ts';
import type { Items } from '../store/items.ts';
import type { ItemChange, MatchingWrite } from '../store/store.ts';
import { partialWrite } from './problems.ts';

/**
 * Writes in several commits, by ascending id. First finds the items that match. Each commit tests
 * its own items again.
 * @returns the number of items that match @throws Problem
 */
export async function writeInSeveralCommits(
  items: Items,
  replica: Pick<Replica, 'read' | 'write' | 'maxRowsPerWrite'>,
  { where, run, check, changeOf }: MatchingWrite,
): Promise<number> {
  const { maxRowsPerWrite } = replica;
  const ids = await replica.read(async () => {
    const search = new PageSearch(items.table.cursor(where));
    await run(search);
    return search.found.map(({ id }) => id);
  });
  let change: ItemChange | undefined;
  let written = 0;
  // At least one commit, which checks the request even if no item matches.
  for (let at = 0; at === 0 || at < ids.length; at += maxRowsPerWrite) {
    const values = ids.slice(at, at + maxRowsPerWrite);
    const work = () => {
      if (at === 0) check();
      change ??= changeOf();
      const selection: NonEmpty = [{ op: 'in', column: 'id', values }, ...where];
      return change === 'deletion'
        ? items.table.remove(selection)
        : items.table.modify(selection, change);
    };
    try {
      written += await replica.write(work, (count) => count);
    } catch (thrown) {
      const error = fullProblem(thrown) ?? thrown;
      const isPartial = written > 0 || error instanceof UnknownOutcomeError;
      const hasReason = error instanceof StoreError || error instanceof Problem;
      throw isPartial && hasReason ? partialWrite(error) : error;
    }
  }
  return written;
}

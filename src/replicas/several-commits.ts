import { Problem } from '../lib/http/index.ts';
import type { BulkWrite, NonEmpty } from '../lib/table/index.ts';
import type { ItemId } from '../service/store/items.ts';
import { prepareWrite } from '../service/store/matching-write.ts';
import type { ItemChange, MatchingWrite } from '../service/store/store.ts';
import { storeFullProblem } from '../service/store/store-full.ts';
import { asItems } from './as-items.ts';
import { partialWrite } from './problems.ts';
import { type ListItems, type Replica, StoreError, UnknownOutcomeError } from './replica/index.ts';

/** The error of work that finds more items than a commit can have. */
class TooManyItemsError extends Error {}

/** The error of work that finds other items than those of its search, because of a reset. */
class OtherItemsError extends Error {}

/** The part of a replica that writes need. */
type WritingReplica = Pick<
  Replica,
  'items' | 'deadline' | 'read' | 'write' | 'maxRowsPerWrite' | 'generation'
>;

/**
 * Writes the items that match: in one commit, if they fit, else in several. The search and the first
 * commit share a deadline; each later commit has its own.
 * @returns the number of items that match @throws Problem
 */
export async function writeMatching(
  replica: WritingReplica,
  matching: MatchingWrite,
): Promise<number> {
  const deadline = replica.deadline();
  const { write, change } = await replica.read(
    () => prepareWrite(asItems(replica.items), matching),
    deadline,
  );
  const count = await writeInOneCommit(replica, matching.check, write, deadline);
  if (count !== undefined) return count;
  for (;;) {
    try {
      return await writeInSeveralCommits(replica, matching, change, deadline);
    } catch (error) {
      // Nothing is written yet, so it searches again.
      if (!(error instanceof OtherItemsError)) throw error;
    }
  }
}

/** Writes in one commit, and closes the write. Returns undefined if the items do not fit in one. */
async function writeInOneCommit(
  replica: WritingReplica,
  check: MatchingWrite['check'],
  write: BulkWrite,
  deadline: number,
): Promise<number | undefined> {
  try {
    if (write.found > replica.maxRowsPerWrite) return undefined;
    return await replica.write(
      (fork) => {
        const items = asItems(fork);
        check(items);
        // Matches the items that others have written since the search, too.
        const count = items.table.commit(write);
        if (count > replica.maxRowsPerWrite) throw new TooManyItemsError();
        return count;
      },
      (count) => count,
      deadline,
    );
  } catch (error) {
    if (error instanceof TooManyItemsError) return undefined;
    throw error;
  } finally {
    write.close();
  }
}

/**
 * Writes in several commits, by ascending id. First finds the items that match. Each commit tests
 * its own items again. A reset ends it: the items that are left no longer exist, and count as if they
 * had been written before it.
 */
async function writeInSeveralCommits(
  replica: WritingReplica,
  { where, run, check }: MatchingWrite,
  change: ItemChange,
  deadline: number,
): Promise<number> {
  const { maxRowsPerWrite } = replica;
  const { ids, generation } = await replica.read(async () => {
    const { generation } = replica;
    const ids: ItemId[] = [];
    const rows = asItems(replica.items).table.cursor(where);
    const next = () => {
      const step = rows.next();
      for (const { id } of step.value ?? []) ids.push(id);
      return step;
    };
    await run({ next, close: () => rows.close() });
    return { ids, generation };
  }, deadline);
  let written = 0;
  // At least one commit, which checks the request even if no item matches.
  for (let at = 0; at === 0 || at < ids.length; at += maxRowsPerWrite) {
    const values = ids.slice(at, at + maxRowsPerWrite);
    const work = (fork: ListItems) => {
      if (replica.generation !== generation) throw new OtherItemsError();
      const items = asItems(fork);
      if (at === 0) check(items);
      const selection: NonEmpty = [{ op: 'in', column: 'id', values }, ...where];
      return change === 'deletion'
        ? items.table.remove(selection)
        : items.modification(selection, change).commit();
    };
    try {
      written += await replica.write(work, (count) => count, at === 0 ? deadline : undefined);
    } catch (thrown) {
      if (thrown instanceof OtherItemsError && at > 0) return written + ids.length - at;
      const error = storeFullProblem(thrown) ?? thrown;
      const isPartial = written > 0 || error instanceof UnknownOutcomeError;
      const hasReason = error instanceof StoreError || error instanceof Problem;
      throw isPartial && hasReason ? partialWrite(error) : error;
    }
  }
  return written;
}

import type { BulkWrite } from '../../lib/table/index.ts';
import type { Items } from './items.ts';
import type { ItemChange, MatchingWrite } from './store.ts';

/** Writes in one commit. @returns how many items match @throws Problem, TableFullError */
export async function writeInOneCommit(items: Items, matching: MatchingWrite): Promise<number> {
  const { write } = await prepareWrite(items, matching);
  try {
    matching.check();
    return write.commit();
  } finally {
    write.close();
  }
}

/** Finds the items that match, in steps. @returns the write, which the caller closes */
export async function prepareWrite(
  { table }: Items,
  { where, run, check, changeOf }: MatchingWrite,
): Promise<{ readonly write: BulkWrite; readonly change: ItemChange }> {
  check();
  const change = changeOf();
  const write = change === 'deletion' ? table.removal(where) : table.modification(where, change);
  const search = write.find();
  await run({
    next: () => search.next(),
    get bytes() {
      return write.bytes;
    },
    close: () => write.close(),
  });
  return { write, change };
}

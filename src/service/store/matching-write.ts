import type { Items } from './items.ts';
import { mapFullError } from './problems.ts';
import type { ItemChange, MatchingWrite, Selection } from './store.ts';

/** Writes in one commit. @returns how many items match @throws Problem */
export async function writeInOneCommit(
  { table }: Items,
  { where, run, checkReset, check, changeOf }: MatchingWrite,
): Promise<number> {
  checkReset();
  check();
  const change = changeOf();
  const write = bulkWriteOf(table, where, change);
  if (write === undefined) return table.removeAll();
  try {
    const search = write.find();
    await run({
      next: () => search.next(),
      get bytes() {
        return write.bytes;
      },
    });
    checkReset();
    check();
    return mapFullError(() => write.commit());
  } finally {
    write.close();
  }
}

/** The write in steps; undefined for removing all items, which needs no steps. */
function bulkWriteOf(table: Items['table'], where: Selection, change: ItemChange) {
  if (where === 'all') return change === 'deletion' ? undefined : table.modificationOfAll(change);
  return change === 'deletion' ? table.removal(where) : table.modification(where, change);
}

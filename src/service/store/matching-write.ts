import type { Items } from './items.ts';
import type { MatchingWrite } from './store.ts';

/** Writes in one commit. @returns how many items match @throws Problem, TableFullError */
export async function writeInOneCommit(
  { table }: Items,
  { where, run, check, changeOf }: MatchingWrite,
): Promise<number> {
  check();
  const change = changeOf();
  const write = change === 'deletion' ? table.removal(where) : table.modification(where, change);
  try {
    const search = write.find();
    await run({
      next: () => search.next(),
      get bytes() {
        return write.bytes;
      },
    });
    check();
    return write.commit();
  } finally {
    write.close();
  }
}

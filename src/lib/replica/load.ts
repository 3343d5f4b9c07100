import { clock, nextTurn } from '../clock.ts';
import { prefixEnd, range } from './etcd/gateway.ts';
import type { Head } from './head.ts';
import type { ReplicatedList } from './list.ts';
import type { ListTable } from './rows.ts';

/** The rows of a page, and its time limits in milliseconds. */
const PAGE_ROWS = 1_000;
const PAGE_MS = 10_000;
const PAGE_ATTEMPT_MS = 5_000;

/** The rows to put in one turn of the event loop. */
const SLICE_ROWS = 32;

/** Creates another table with the rows of a head, as of a revision of etcd. @throws StoreError */
export async function loadTable(
  { etcd, keys, table, codec }: ReplicatedList,
  head: Head,
  revision: number,
): Promise<ListTable> {
  const idsAssigned = BigInt(head.members.idsAssigned);
  const loaded = table.createEmpty();
  // A list without rows may have assigned ids.
  loaded.apply([], idsAssigned, head.revision);
  let from = keys.rowsOf(head.members.generation);
  const end = prefixEnd(from);
  for (let hasMore = true; hasMore; ) {
    const body = { ...range(from, end), revision: String(revision), limit: String(PAGE_ROWS) };
    const deadline = clock.now() + PAGE_MS;
    const page = await etcd.range(body, { deadline, attemptMs: PAGE_ATTEMPT_MS });
    for (let at = 0; at < page.found.length; at += SLICE_ROWS) {
      const rows = page.found
        .slice(at, at + SLICE_ROWS)
        .map((row) => codec.decode(row, idsAssigned));
      loaded.apply(rows, idsAssigned, head.revision);
      await nextTurn();
    }
    from = `${page.found.at(-1)?.key ?? from}\0`;
    hasMore = page.hasMore;
  }
  return loaded;
}

import { clock, nextTurn } from '../../lib/clock.ts';
import { prefixEnd, range } from './etcd/gateway.ts';
import type { Head } from './head.ts';
import type { ReplicatedList } from './list.ts';
import type { ListItems } from './rows.ts';

/** The rows of a page, and its time limits in milliseconds. */
const PAGE_ROWS = 1_000;
const PAGE_MS = 10_000;
const PAGE_ATTEMPT_MS = 5_000;

/** The rows to put in one turn of the event loop. */
const SLICE_ROWS = 32;

/** Makes items of the rows of a head, as of a revision of etcd. @throws StoreError */
export async function loadItems(
  { etcd, keys, items, codec }: ReplicatedList,
  head: Head,
  revision: number,
): Promise<ListItems> {
  const { maxRows } = head.members;
  const idsAssigned = BigInt(head.members.idsAssigned);
  const loaded = items.createEmpty({ maxRows });
  // A list without rows may have assigned ids.
  codec.replay(loaded.table, [], idsAssigned, head.revision);
  let from = keys.rowsOf(head.members.generation);
  const end = prefixEnd(from);
  for (let hasMore = true; hasMore; ) {
    const body = { ...range(from, end), revision: String(revision), limit: String(PAGE_ROWS) };
    const deadline = clock.now() + PAGE_MS;
    const page = await etcd.range(body, { deadline, attemptMs: PAGE_ATTEMPT_MS });
    for (let at = 0; at < page.found.length; at += SLICE_ROWS) {
      const rows = page.found.slice(at, at + SLICE_ROWS);
      codec.replay(loaded.table, rows, idsAssigned, head.revision);
      await nextTurn();
    }
    from = `${page.found.at(-1)?.key ?? from}\0`;
    hasMore = page.hasMore;
  }
  return loaded;
}

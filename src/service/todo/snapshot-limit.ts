import { clock } from '../../lib/clock.ts';
import type { HttpServer } from '../../lib/http/index.ts';
import type { Table } from '../../lib/table/index.ts';
import type { ItemFields, Items } from '../store/items.ts';
import { TodoList } from './todo-list.ts';

/** The share of `maxBytes` that previous versions of items may take. */
const SHARE = 1 / 8;

type Clients = Pick<HttpServer['clients'], 'disconnectLargest'>;

/** Limits the memory of previous versions of items, by disconnecting clients of their own list. */
export function limitSnapshots(items: Items, maxBytesNow: () => number, clients: Clients): void {
  relieveOnCommit(items.table, maxBytesNow, {
    disconnectLargest: (isWanted) =>
      clients.disconnectLargest(
        (user) => user.held instanceof TodoList && user.held.items === items && isWanted(user),
      ),
  });
}

/**
 * Limits the memory of previous versions of items, which lists that are being sent still hold. There
 * are two bounds. Above an eighth of `maxBytes`, or above the bytes that are left, it disconnects
 * clients that do not read. When items and previous versions exceed `maxBytes` by an eighth, it
 * disconnects clients that read, too.
 */
export function relieveOnCommit(
  table: Table<ItemFields>,
  maxBytesNow: () => number,
  clients: Clients,
): void {
  const relieve = (): boolean => {
    const { snapshotBytes } = table;
    if (snapshotBytes === 0) return false;
    const maxBytes = maxBytesNow();
    const excess = table.bytes - maxBytes;
    const isTooMuch = snapshotBytes > Math.min(maxBytes * SHARE, Math.max(0, -excess));
    if (isTooMuch && clients.disconnectLargest(({ isUnread }) => isUnread)) return true;
    return excess > maxBytes * SHARE && clients.disconnectLargest(({ isSending }) => isSending);
  };
  let isRelieving = false;
  const check = () => {
    isRelieving = relieve();
    // A closed connection frees the snapshot of its list at the end of an event-loop turn.
    if (isRelieving) clock.setImmediate(() => clock.setImmediate(check));
  };
  table.onCommit(() => {
    if (!isRelieving) check();
  });
}

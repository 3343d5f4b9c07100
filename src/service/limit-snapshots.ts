import { clock } from '../lib/clock.ts';
import type { HttpServer } from '../lib/http/index.ts';
import type { Table } from '../lib/table/index.ts';
import type { ItemFields } from './store/items.ts';

/** The share of the bytes for items that former items may take. */
const SHARE = 1 / 8;

/**
 * Bounds the memory of former items, which lists that are being sent still hold. Clients that do
 * not read are disconnected when former items exceed their share of `maxBytes`, or the room left;
 * those that read only when all items together exceed `maxBytes` by that share.
 */
export function limitSnapshots(
  table: Table<ItemFields>,
  maxBytes: number,
  clients: Pick<HttpServer['clients'], 'disconnectLargest'>,
): void {
  const relieve = (): boolean => {
    const { snapshotBytes } = table;
    if (snapshotBytes === 0) return false;
    const room = maxBytes - table.bytes;
    const isTooMuch = snapshotBytes > Math.min(maxBytes * SHARE, Math.max(0, room));
    if (isTooMuch && clients.disconnectLargest(({ isUnread }) => isUnread)) return true;
    return -room > maxBytes * SHARE && clients.disconnectLargest(({ hasWork }) => hasWork);
  };
  let isRelieving = false;
  const check = () => {
    isRelieving = relieve();
    // A connection is closed, and frees what its list held, at the end of a turn.
    if (isRelieving) clock.setImmediate(() => clock.setImmediate(check));
  };
  table.onCommit(() => {
    if (!isRelieving) check();
  });
}

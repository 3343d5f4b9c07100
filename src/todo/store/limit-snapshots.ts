import { clock } from '../../clock.ts';
import type { Table } from '../../table/table.ts';
import type { ItemFields } from './items.ts';

/** The share of the bytes for items that former items may take. */
const SHARE = 1 / 8;

/** Ends responses, so that what they hold is freed. Each returns whether there was one to end. */
interface Relief {
  /** Disconnects the client that has read nothing for longest. */
  disconnectUnread(): boolean;
  /** Ends a response though its client reads. */
  shed(): boolean;
}

/**
 * Bounds the memory of former items. A list that is being sent is a consistent snapshot, so it
 * holds items that have changed since, however long that takes. Clients that do not read are
 * disconnected when former items exceed their share of the bytes for items, or the room left.
 * Responses to clients that read are ended only when all items together exceed their bytes by that
 * share.
 * @param maxBytes the limit for items, including former ones, in bytes
 */
export function limitSnapshots(table: Table<ItemFields>, maxBytes: number, relief: Relief): void {
  const relieve = (): boolean => {
    const { snapshotBytes } = table;
    if (snapshotBytes === 0) return false;
    const room = maxBytes - table.bytes;
    const isTooMuch = snapshotBytes > Math.min(maxBytes * SHARE, Math.max(0, room));
    if (isTooMuch && relief.disconnectUnread()) return true;
    return -room > maxBytes * SHARE && relief.shed();
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

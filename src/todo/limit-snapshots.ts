import type { Todos } from './todos.ts';

/** The share of the bytes for items that former items may take. */
const SHARE = 1 / 8;

/**
 * Bounds the memory of former items. A list that is being sent shows one moment, so it holds items
 * that have changed since, however long its client takes. If they exceed their share of the bytes
 * for items, or the room left, the client that has read nothing for longest is cut.
 * @param maxBytes the limit for items, including former ones, in bytes
 * @param cut cuts a client that does not read, and returns whether there was one
 */
export function limitSnapshots(todos: Todos, maxBytes: number, cut: () => boolean): void {
  const { table } = todos;
  const isTooMuch = () => {
    const { snapshotBytes } = table;
    if (snapshotBytes === 0) return false;
    return snapshotBytes > maxBytes * SHARE || snapshotBytes > maxBytes - table.bytes;
  };
  let isCutting = false;
  const check = () => {
    isCutting = isTooMuch() && cut();
    // The former items that its list held are freed once the connection has closed.
    if (isCutting) setImmediate(check);
  };
  todos.onCommit(() => {
    if (!isCutting) check();
  });
}

import type { Todos } from './todos.ts';

/** What former items may take of the bytes that items may take. */
const SHARE = 1 / 8;

/**
 * Bounds what lists keep of former items: a list that is being sent shows one moment, however long
 * its client takes. Past a share of the bytes for items, or when it is more than the room that is
 * left for them, the client that has read nothing for longest is cut.
 *
 * @param maxBytes what items may take, with what lists keep
 * @param cut cuts a client that does not read, and tells whether there was one
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
    // What the list has kept is freed once the connection has closed.
    if (isCutting) setImmediate(check);
  };
  todos.onCommit(() => {
    if (!isCutting) check();
  });
}

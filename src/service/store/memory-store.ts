import { clock } from '../../lib/clock.ts';
import type { Items } from './items.ts';
import { writeInOneCommit } from './matching-write.ts';
import type { Store } from './store.ts';

/** Keeps the items in this process, without waiting. */
export function memoryStore(items: Items): Store {
  const { table } = items;
  // Not `node:crypto`, which takes long to load.
  const id = `${clock.time().toString(36)}-${Math.random().toString(36).slice(2)}`;
  return {
    items,
    read: (work) => work(),
    write(work, respond) {
      const result = table.transaction(work);
      return respond(result, table.lastCommit);
    },
    writeMatching: (matching) => writeInOneCommit(items, matching),
    listId: () => id,
  };
}

import { clock } from '../../lib/clock.ts';
import { writeInOneCommit } from './matching-write.ts';
import { mapFullError } from './problems.ts';
import type { OpenStore } from './store.ts';

/** Keeps the items in this process, without waiting. */
export const memoryStore: OpenStore = (items, run) => {
  const { table } = items;
  // Not `node:crypto`, which takes long to load.
  const id = `${clock.time().toString(36)}-${Math.random().toString(36).slice(2)}`;
  let resets = 0;
  items.fill();
  return {
    items,
    read: (work) => work(),
    write: (work, respond) =>
      respond(
        mapFullError(() => table.transaction(work)),
        table.version,
      ),
    writeMatching: (matching) => writeInOneCommit(items, matching),
    async reset(seed) {
      const made = await run(items.makeItems(seed));
      resets++;
      items.replace(made);
    },
    generation: () => String(resets),
    listId: () => id,
  };
};

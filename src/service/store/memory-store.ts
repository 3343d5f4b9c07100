import { clock } from '../../lib/clock.ts';
import { BulkWriteQueue } from './bulk-write-queue.ts';
import type { Items } from './items.ts';
import { writeInOneCommit } from './matching-write.ts';
import type { MatchingWrite, Store } from './store.ts';

/** Keeps the items in this process. Reads and most writes do not wait. */
export function memoryStore(items: Items): Store {
  const { table } = items;
  const queue = new BulkWriteQueue();
  /** Set while all other writes wait for a write to several items, which fulfils it at its end. */
  let bulkWriteEnd: Promise<void> | undefined;
  // Not `node:crypto`, which takes long to load.
  const id = `${clock.time().toString(36)}-${Math.random().toString(36).slice(2)}`;
  const store: Store = {
    items,
    read: (work) => work(),
    write(work, respond) {
      if (bulkWriteEnd !== undefined) return bulkWriteEnd.then(() => store.write(work, respond));
      const result = table.transaction(work);
      return respond(result, table.lastCommit);
    },
    writeMatching: (matching) => queue.run(matching.wait, () => writeSeveral(matching)),
    listId: () => id,
  };
  return store;

  async function writeSeveral(matching: MatchingWrite): Promise<number> {
    let end = () => {};
    const holdOthers = () => {
      bulkWriteEnd = new Promise((resolve) => {
        end = resolve;
      });
    };
    try {
      return await writeInOneCommit(items, matching, holdOthers);
    } finally {
      bulkWriteEnd = undefined;
      end();
    }
  }
}

import { clock } from '../../lib/clock.ts';
import { BulkWriteQueue } from './bulk-write-queue.ts';
import type { Items } from './items.ts';
import { writeInOneCommit } from './matching-write.ts';
import type { MatchingWrite, Store } from './store.ts';

/** Keeps the items in this process. Most writes do not wait. */
export function memoryStore(items: Items): Store {
  const { table } = items;
  const queue = new BulkWriteQueue();
  /** Set while all other writes wait for a write to several items, which fulfils it at its end. */
  let bulkWriteEnd: Promise<void> | undefined;
  const store: Store = {
    // Not by `node:crypto`, which takes long to load.
    id: `${clock.time().toString(36)}-${Math.random().toString(36).slice(2)}`,
    items,
    write(work) {
      if (bulkWriteEnd !== undefined) return bulkWriteEnd.then(() => store.write(work));
      return table.transaction(() => work(items));
    },
    writeMatching: (matching) => queue.run(matching.wait, () => writeSeveral(matching)),
    // Another store, because requests under way go on with this one.
    replace: memoryStore,
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

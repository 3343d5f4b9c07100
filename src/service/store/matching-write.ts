import { sleep } from '../../lib/clock.ts';
import type { BulkWrite } from '../../lib/table/index.ts';
import { serviceProblem } from '../problem-types.ts';
import type { Items } from './items.ts';
import type { ItemChange, MatchingWrite } from './store.ts';

/** How often chunks that others have written meanwhile are prepared again. */
const MAX_ROUNDS = 10;

/** The time after which a write that had no room is prepared again, in milliseconds. */
const RETRY_MS = 100;

/** The error of a write that has no room beside others. */
class NoRoomError extends Error {
  readonly lackingBytes: number;

  constructor(lackingBytes: number) {
    super('the new rows have no room');
    this.lackingBytes = lackingBytes;
  }
}

/**
 * Writes in one commit.
 * @param finish as for {@link prepareWrite}
 * @returns how many items match @throws Problem, TableFullError
 */
export async function writeInOneCommit(
  items: Items,
  matching: MatchingWrite,
  finish?: () => void,
): Promise<number> {
  const { write } = await prepareWrite(items, matching, finish);
  try {
    matching.check();
    return write.commit();
  } finally {
    write.close();
  }
}

/**
 * Prepares a write, in steps. What others write meanwhile is prepared again.
 * @param finish called when others go on writing. They should wait until the write ends
 * @returns the write, which the caller closes
 * @throws Problem `store-full` if the new rows would have no room even without other users of memory
 */
export async function prepareWrite(
  items: Items,
  matching: MatchingWrite,
  finish = () => {},
): Promise<{ readonly write: BulkWrite; readonly change: ItemChange }> {
  matching.check();
  const change = matching.changeOf();
  for (;;) {
    const write =
      change === 'deletion'
        ? items.table.removal(matching.where)
        : items.table.modification(matching.where, change);
    const release = items.spare.add(write);
    try {
      for (let round = 1; round <= MAX_ROUNDS + 1 && !write.isPrepared; round++) {
        if (round > MAX_ROUNDS) finish();
        await matching.run(stepsOf(items, write, change));
      }
      return { write, change };
    } catch (error) {
      write.close();
      if (!(error instanceof NoRoomError)) throw error;
      items.spare.onShort(error.lackingBytes);
    } finally {
      release();
    }
    await matching.wait(sleep(RETRY_MS));
  }
}

function stepsOf(items: Items, write: BulkWrite, change: ItemChange) {
  const search = write.find();
  return {
    next: () => {
      const step = search.next();
      if (change !== 'deletion') checkRoom(items, write);
      return step;
    },
    close: () => write.close(),
  };
}

/** New rows may take the room that items leave, and the spare memory. */
function checkRoom({ table, spare }: Items, { bytes }: BulkWrite): void {
  const { maxBytes, snapshotBytes } = table;
  const room = spare.maxBytes + Math.max(0, maxBytes - (table.bytes - snapshotBytes));
  if (bytes > room) {
    const detail = `The changed items need more than the ${room} bytes that are left (operations.md: Memory); change fewer at a time, such as those with id.lt=1000`;
    throw serviceProblem('store-full', detail, { refusal: 'bulk-writes' });
  }
  // The write itself is one of the users.
  if (spare.bytes > room) throw new NoRoomError(spare.bytes - room);
}

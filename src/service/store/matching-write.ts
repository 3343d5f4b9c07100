import { sleep } from '../../lib/clock.ts';
import type { BulkWrite } from '../../lib/table/index.ts';
import { serviceProblem } from '../problem-types.ts';
import type { Items } from './items.ts';
import type { ItemChange, MatchingWrite } from './store.ts';

/** The number of rounds of preparation beside other writes. In one more round, they wait. */
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
 * Writes to all items that match, in one commit.
 * @param holdOthers as for {@link prepareWrite}
 * @returns how many items match @throws Problem, TableFullError
 */
export async function writeInOneCommit(
  items: Items,
  matching: MatchingWrite,
  holdOthers?: () => void,
): Promise<number> {
  const { write } = await prepareWrite(items, matching, holdOthers);
  try {
    matching.check();
    return write.commit();
  } finally {
    write.close();
  }
}

/**
 * Prepares a write, in steps. Chunks that other writes replace meanwhile are prepared again. Waits
 * if other users of memory leave too little room.
 * @param holdOthers called if other writes do not pause, to make them wait until this one ends
 * @returns the write, which the caller closes. Its commit prepares chunks that are still missing
 * @throws Problem `store-full` if the new rows would have no room even without other users
 */
export async function prepareWrite(
  items: Items,
  matching: MatchingWrite,
  holdOthers = () => {},
): Promise<{ readonly write: BulkWrite; readonly change: ItemChange }> {
  matching.check();
  const change = matching.changeOf();
  for (;;) {
    const write =
      change === 'deletion'
        ? items.table.removal(matching.where)
        : items.table.modification(matching.where, items.columnsOf(change));
    const release = items.spare.add(write);
    try {
      for (let round = 1; round <= MAX_ROUNDS + 1 && !write.isPrepared; round++) {
        if (round > MAX_ROUNDS) holdOthers();
        await matching.run(stepsOf(items, write, change));
      }
      return { write, change };
    } catch (error) {
      write.close();
      if (!(error instanceof NoRoomError)) throw error;
      items.spare.onShortage(error.lackingBytes);
    } finally {
      release();
    }
    await matching.wait(sleep(RETRY_MS));
  }
}

/** The steps of a search. Each checks that its new rows have room. */
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

/**
 * Checks the room for new rows: the memory that items leave, and the spare memory.
 * @throws Problem `store-full` if they need more, NoRoomError if other users leave less
 */
function checkRoom({ table, spare }: Items, { bytes }: BulkWrite): void {
  const { maxBytes, snapshotBytes } = table;
  // Snapshots are spare memory.
  const room = spare.maxBytes + Math.max(0, maxBytes - (table.bytes - snapshotBytes));
  if (bytes > room) {
    const detail =
      `The changed items need more than the ${room} bytes that are left (operations.md: Memory); ` +
      'change fewer at a time, such as those with id.lt=1000';
    throw serviceProblem('store-full', detail, { refusal: 'bulk-writes' });
  }
  // The write itself is one of the users.
  if (spare.bytes > room) throw new NoRoomError(spare.bytes - room);
}

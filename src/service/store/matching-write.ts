import type { BulkWrite } from '../../lib/table/index.ts';
import { serviceProblem } from '../problem-types.ts';
import type { Items } from './items.ts';
import type { ItemChange, MatchingWrite } from './store.ts';

/** The number of rounds of preparation beside other writes. In one more round, they wait. */
const MAX_ROUNDS = 10;

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
    matching.check(items);
    return write.commit();
  } finally {
    write.close();
  }
}

/**
 * Prepares a write, in steps. Chunks that other writes replace meanwhile are prepared again.
 * @param holdOthers called if other writes do not pause, to make them wait until this one ends
 * @returns the write, which the caller closes. Its commit prepares chunks that are still missing
 * @throws Problem `store-full` if the new rows have no room
 */
export async function prepareWrite(
  items: Items,
  matching: MatchingWrite,
  holdOthers = () => {},
): Promise<{ readonly write: BulkWrite; readonly change: ItemChange }> {
  matching.check(items);
  const change = matching.changeOf();
  const write =
    change === 'deletion'
      ? items.table.removal(matching.where)
      : items.modification(matching.where, change);
  try {
    for (let round = 1; round <= MAX_ROUNDS + 1 && !write.isPrepared; round++) {
      if (round > MAX_ROUNDS) holdOthers();
      await matching.run(stepsOf(items, write, change));
    }
    return { write, change };
  } catch (error) {
    write.close();
    throw error;
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
 * Checks the room for new rows: what the items leave of one and a half times `MAX_BYTES`.
 * @throws Problem `store-full` if they need more
 */
function checkRoom({ table }: Items, { bytes }: BulkWrite): void {
  const room = Math.max(table.maxBytes / 2, 1.5 * table.maxBytes - table.bytes);
  if (bytes <= room) return;
  const detail =
    `The changed items need more than the ${Math.floor(room)} bytes that are left (operations.md: ` +
    'Memory); change fewer at a time, such as those with id.lt=1000';
  throw serviceProblem('store-full', detail, { shortage: 'bulk-writes' });
}

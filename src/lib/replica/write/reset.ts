import { clock } from '../../clock.ts';
import { StoreError } from '../errors.ts';
import { hasValue, put } from '../etcd/json.ts';
import type { EtcdFollower } from '../read/etcd-follower.ts';
import type { ReadIndex } from '../read/read-index.ts';
import { nextGeneration } from '../stored/keys.ts';
import type { StoredList } from '../stored/stored-list.ts';
import type { CommitWriter, UnsentTransaction } from './commit-writer.ts';
import type { Generations, MakeRows } from './generations.ts';

/** How often to begin a reset again because another one came first. */
const MAX_TRIES = 10;

/** What a reset works with. */
export interface ResetParts {
  readonly list: StoredList;
  readonly writer: CommitWriter;
  readonly follower: EtcdFollower;
  readonly readIndex: ReadIndex;
  readonly generations: Generations;
  /** How long the switch may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Replaces all rows, however many; ids start again. The rows are written as a new generation, which
 * becomes the current one in a single transaction. Then the rows of old generations are deleted.
 * @throws UnknownOutcomeError if that may have happened; another StoreError, or what `makeRows`
 * throws, if not
 */
export async function resetList(parts: ResetParts, makeRows: MakeRows): Promise<void> {
  const { list, follower, readIndex, generations } = parts;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await readIndex.wait();
    if (follower.agreed.misfit !== undefined) throw follower.agreed.misfit;
    const before = follower.head?.generation;
    if (before === undefined) continue;
    const generation = nextGeneration(before);
    const { rows, idsAssigned } = await makeRows();
    const isCurrent = hasValue(list.keys.generation, before);
    const compare = await generations.write(generation, rows, isCurrent);
    if (compare === undefined) continue;
    const head = { generation, idsAssigned, changes: 0 };
    if (!(await makeCurrent(parts, before, head, compare))) continue;
    // Nobody waits for it: what it cannot delete is never shown.
    void generations.sweep(generation);
    return;
  }
  throw new StoreError('other resets came first');
}

/** Makes a generation the current one; false if another was faster, or `compare` does not hold. */
async function makeCurrent(
  { list, writer, follower, timeoutMs }: ResetParts,
  before: string,
  next: UnsentTransaction['head'],
  compare: readonly object[],
): Promise<boolean> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const { head: base } = follower;
    const { current: meta } = follower.agreed;
    if (base?.generation !== before || meta === undefined) return false;
    const { isApplied, head } = await writer.write({
      ...{ base, metaRevision: meta.revision, compare, deadline },
      operations: [put(list.keys.generation, next.generation)],
      head: next,
    });
    if (!isApplied && head.revision === base.revision) {
      await follower.checkMeta();
      return false;
    }
    try {
      await follower.reached(head.revision, deadline);
    } catch (error) {
      // It has happened, even if this replica needs longer to show it.
      if (!(error instanceof StoreError)) throw error;
    }
    if (isApplied) return true;
  }
}

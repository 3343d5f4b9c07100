import type { Item, SeedItems } from '../../../service/store/items.ts';
import { clock } from '../../clock.ts';
import { EtcdError } from '../etcd/error.ts';
import { exists, hasValue, prefixEnd, put, range, remove } from '../etcd/json.ts';
import type { ReplicaParts } from '../parts.ts';
import { afterGeneration, nextGeneration } from '../stored/keys.ts';
import type { StoredList } from '../stored/stored-list.ts';
import type { Transaction } from './commit-writer.ts';
import { MAX_ROWS, MAX_TEXT } from './dry-run.ts';

/** How often to begin a reset again because another one came first. */
const MAX_TRIES = 10;

/** How many rows a sweep deletes at once. */
const SWEPT_ROWS = 1_000;

/** The time limit of a step of a sweep, in milliseconds. */
const SWEEP_MS = 10_000;

/**
 * Resets the list to the seed, or to another one, however large; ids start again. The rows are
 * written as a new generation, which becomes the current one in a single transaction. Then the rows
 * of old generations are deleted.
 * @throws UnknownOutcomeError if that may have happened, any other Error if not
 */
export async function resetList(parts: ReplicaParts, seed?: SeedItems): Promise<void> {
  const { list, follower, readIndex, seedItems } = parts;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await readIndex.wait();
    const before = follower.head?.generation;
    if (before === undefined) continue;
    const generation = nextGeneration(before);
    const rows = await seedItems(seed);
    const isCurrent = hasValue(list.keys.generation, before);
    const compare = await writeGeneration(parts, generation, rows, isCurrent);
    if (compare === undefined) continue;
    const head = { generation, idsAssigned: rows.length, changes: 0 };
    if (!(await makeCurrent(parts, before, head, compare))) continue;
    sweep(list, generation);
    return;
  }
  throw new EtcdError('rejected', 'other resets came first');
}

/**
 * Writes the rows of a generation that is not current yet, in parts that fit one transaction each,
 * and each only if the one before is there: etcd may be restored from a backup meanwhile.
 * @param condition must hold all the time
 * @returns what holds while all are there; undefined if another replica was faster, or some are not
 */
export async function writeGeneration(
  { list: { client, keys }, rows: { codec }, timeoutMs }: ReplicaParts,
  generation: string,
  items: readonly Item[],
  condition: object,
): Promise<readonly object[] | undefined> {
  let compare = [condition];
  for (let written = 0; written < items.length; ) {
    const success: ReturnType<typeof put>[] = [];
    let length = 0;
    let key = '';
    for (const item of items.slice(written, written + MAX_ROWS)) {
      const text = codec.encode(item);
      length += text.length;
      if (length > MAX_TEXT && success.length > 0) break;
      key = keys.row(generation, item.id);
      success.push(put(key, text));
    }
    // It is safe to send this again: it writes the same rows.
    const deadline = clock.now() + timeoutMs;
    if (!(await client.txn({ compare, success }, { deadline })).succeeded) return undefined;
    written += success.length;
    compare = [condition, exists(key)];
  }
  return compare;
}

/** Makes a generation the current one; false if another was faster, or `compare` does not hold. */
async function makeCurrent(
  { list, writer, follower, timeoutMs }: ReplicaParts,
  before: string,
  next: Transaction['head'],
  compare: readonly object[],
): Promise<boolean> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const { head: base, meta } = follower;
    if (base?.generation !== before || meta === undefined) return false;
    const { isApplied, head } = await writer.write({
      ...{ base, metaRevision: meta.revision, compare, deadline },
      operations: [put(list.keys.generation, next.generation)],
      head: next,
    });
    if (!isApplied && head.revision === base.revision) {
      follower.reload();
      return false;
    }
    // It has happened, even if this replica needs longer to show it.
    await follower.reached(head.revision, deadline).catch(() => {});
    if (isApplied) return true;
  }
}

/**
 * Deletes the rows of all other generations except later ones, which may be in preparation: step by
 * step, and only while the generation is current. The next sweep deletes what is left over.
 */
export async function sweep({ client, keys }: StoredList, generation: string): Promise<void> {
  const own = keys.rowsOf(generation);
  const compare = [hasValue(keys.generation, generation)];
  const end = `${keys.rows}${afterGeneration(generation)}`;
  try {
    for (const [from, to] of [[keys.rows, own] as const, [prefixEnd(own), end] as const]) {
      for (;;) {
        const limit = { deadline: clock.now() + SWEEP_MS };
        const body = { ...range(from, to), keys_only: true, limit: SWEPT_ROWS };
        const last = (await client.range(body, limit)).found.at(-1);
        if (last === undefined) break;
        const success = [remove(range(from, `${last.key}\0`))];
        if (!(await client.txn({ compare, success }, limit)).succeeded) return;
      }
    }
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
  }
}

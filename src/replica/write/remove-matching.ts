import type { NonEmpty } from '../../table/condition/condition.ts';
import type { Cursor } from '../../table/query/cursor.ts';
import type { Table } from '../../table/table.ts';
import type { ItemFields } from '../../todo/item-api.ts';
import type { ItemId, Run } from '../../todo/store/items.ts';
import type { Store } from '../../todo/store/store.ts';
import { MAX_ROWS } from './dry-run.ts';
import type { Fail } from './store-error.ts';

/**
 * Deletes the items that match conditions, in as few transactions as etcd's bounds allow, in
 * ascending order of id. The first read settles which items match; each transaction tests its own
 * again (contract: "QUERY, where, DELETE by condition").
 *
 * @param check checks preconditions, in the first transaction
 * @returns a promise of how many it has deleted
 * @throws Problem `outcome-unknown` that says how many may be gone, once that may be any
 */
export async function removeMatching(
  store: Pick<Store, 'read' | 'write'>,
  table: Table<ItemFields>,
  where: NonEmpty,
  check: () => void,
  run: Run,
  fail: Fail,
): Promise<number> {
  const ids = await store.read(() => run(idsOf(table.cursor(where))));
  let deleted = 0;
  for (let at = 0; at === 0 || at < ids.length; at += MAX_ROWS) {
    const values = ids.slice(at, at + MAX_ROWS);
    const work = () => {
      if (at === 0) check();
      return table.remove([...where, { op: 'in', column: 'id', values }]);
    };
    try {
      deleted += await store.write(work, (count) => count);
    } catch (error) {
      throw failure(error, deleted, values.length, fail);
    }
  }
  return deleted;
}

function* idsOf(rows: Cursor<ItemFields>): Generator<undefined, readonly ItemId[]> {
  const ids: ItemId[] = [];
  try {
    for (let step = rows.next(); !step.done; step = rows.next()) {
      for (const { id } of step.value ?? []) ids.push(id);
      yield;
    }
    return ids;
  } finally {
    rows.close();
  }
}

/** Says how many items may be gone, unless it is certain that none is. */
function failure(error: unknown, deleted: number, atStake: number, fail: Fail): unknown {
  const isUnknown = error instanceof Error && 'code' in error && error.code === 'outcome-unknown';
  if (deleted === 0 && !isUnknown) return error;
  const most = isUnknown ? deleted + atStake : deleted;
  return fail('outcome-unknown', `At least ${deleted} and at most ${most} of the items are gone`);
}

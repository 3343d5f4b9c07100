import { IncompatibleError } from '../errors.ts';
import { get, isUnchanged, put, remove } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { type Meta, metaOf, type ReplicaIdentity } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** A list that this replica can use, as of a revision. */
export interface OpenList {
  readonly meta: Meta;
  readonly head: StoredHead;
  readonly revision: number;
}

/**
 * Reads `meta` and `head` in one transaction, so that a list is never shown under the id of a
 * previous one. Creates the list if there is none, and upgrades the format of 2.x.
 * @param create creates the list, unless another replica is faster
 * @throws StoreError; IncompatibleError if this replica cannot use the list
 */
export async function openList(
  list: StoredList,
  identity: ReplicaIdentity,
  create: () => Promise<void>,
): Promise<OpenList> {
  const { client, keys } = list;
  for (;;) {
    const { found, revision } = await client.txn({ success: [keys.meta, keys.head].map(get) });
    const [meta, head] = found;
    if (meta === undefined && head === undefined) {
      await create();
      continue;
    }
    if (meta === undefined) throw new IncompatibleError(keys.meta, 'is missing');
    if (head === undefined) throw new IncompatibleError(keys.head, 'is missing');
    const agreed = metaOf(meta, keys.prefix, identity);
    if (agreed.text === meta.value) return { meta: agreed, head: list.headOf(head), revision };
    // Read again, because another attempt or another replica may have been first.
    const success = [put(keys.meta, agreed.text), remove(keys.legacyFields)];
    await client.txn({ compare: [isUnchanged(keys.meta, meta.modRevision)], success });
  }
}

import { IncompatibleError } from '../errors.ts';
import { get, isUnchanged, put } from '../etcd/json.ts';
import { headOf, type StoredHead } from '../stored/commit-head.ts';
import type { ListSchema } from '../stored/list-table.ts';
import { describedFields, type Meta, metaOf, type ReplicaIdentity } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** A list that this replica can use, as of a revision. */
export interface OpenList {
  readonly meta: Meta;
  readonly head: StoredHead;
  readonly revision: number;
}

/** The replica that opens a list. */
export interface ListUser {
  readonly schema: ListSchema;
  readonly identity: ReplicaIdentity;
  /** Creates the list, unless another replica is faster. */
  readonly create: () => Promise<void>;
}

/**
 * Reads `meta` and `head` in one transaction, so that a list is never shown under the id of a
 * previous one. Creates the list if there is none, raises the format, and describes fields that are
 * new. @throws StoreError; IncompatibleError if this replica cannot use the list
 */
export async function openList(list: StoredList, replica: ListUser): Promise<OpenList> {
  const { client, keys } = list;
  const { schema, identity, create } = replica;
  const where = `ETCD_PREFIX ${keys.prefix}`;
  for (;;) {
    const success = [keys.meta, keys.head, keys.fields].map(get);
    const { found, revision } = await client.txn({ success });
    const [meta, head, fields] = found;
    if (meta === undefined && head === undefined) {
      await create();
      continue;
    }
    if (meta === undefined) throw new IncompatibleError(where, 'has a list without a meta');
    if (head === undefined) throw new IncompatibleError(keys.head, 'is missing');
    const agreed = metaOf(meta.value, where, identity);
    const described = describedFields(schema, fields?.value, where);
    const writes = [];
    if (agreed.text !== meta.value) writes.push(put(keys.meta, agreed.text));
    if (described !== fields?.value) writes.push(put(keys.fields, described));
    if (writes.length === 0) return { meta: agreed, head: headOf(head), revision };
    const compare = [
      isUnchanged(keys.meta, meta.modRevision),
      isUnchanged(keys.fields, fields?.modRevision ?? 0),
    ];
    // Read again, because another attempt or another replica may have been first.
    await client.txn({ compare, success: writes });
  }
}

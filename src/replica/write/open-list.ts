import type { Schema } from '../../table/schema/column.ts';
import { EtcdError } from '../etcd/error.ts';
import { get, isUnchanged, put } from '../etcd/json.ts';
import { headOf, type StoredHead } from '../stored/commit-head.ts';
import {
  describedFields,
  type Meta,
  metaOf,
  newMeta,
  type ReplicaIdentity,
  type StoredMeta,
} from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/**
 * Reads the stored list; creates it if there is none. Describes the fields that are new.
 * @param begin creates the list, unless another replica is faster
 * @throws EtcdError
 * @throws IncompatibleError if this replica cannot use it
 */
export async function openList(
  { client, keys }: StoredList,
  schema: Schema,
  identity: ReplicaIdentity,
  begin: (meta: Meta) => Promise<void>,
): Promise<{ readonly head: StoredHead; readonly meta: StoredMeta }> {
  const read = async () => {
    const success = [keys.meta, keys.head, keys.fields].map(get);
    const { found } = await client.txn({ success });
    return found.map(([first]) => first);
  };
  let [meta, head, fields] = await read();
  if (meta === undefined || head === undefined) {
    await begin(newMeta(identity));
    [meta, head, fields] = await read();
    if (meta === undefined || head === undefined)
      throw new EtcdError('unknown', 'the list is gone');
  }
  const where = `ETCD_PREFIX ${keys.prefix}`;
  const value = metaOf(meta.value, where, identity);
  const described = describedFields(schema, fields?.value, where);
  if (described !== fields?.value) {
    const compare = [isUnchanged(keys.fields, fields?.modRevision ?? 0)];
    const success = [put(keys.fields, described)];
    const { succeeded } = await client.txn({ compare, success });
    // Perhaps by another attempt of this transaction.
    if (!succeeded) throw new EtcdError('unknown', `${keys.fields} has just been written`);
  }
  return { head: headOf(head), meta: { value, revision: meta.modRevision } };
}

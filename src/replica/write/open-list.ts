import type { Schema } from '../../table/schema/column.ts';
import { EtcdError } from '../etcd/error.ts';
import { isUnchanged, put } from '../etcd/messages.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { describedFields } from '../stored/described-fields.ts';
import {
  type Meta,
  metaOf,
  newMeta,
  type ReplicaIdentity,
  type StoredMeta,
} from '../stored/meta.ts';
import { requestDeadline, type StoredList } from '../stored/stored-list.ts';

/**
 * Reads the stored list; creates it if there is none. Describes the fields that are new.
 * @param begin creates the list, unless another replica is faster
 * @throws EtcdError
 * @throws IncompatibleError if this replica cannot use it
 */
export async function openList(
  list: StoredList,
  schema: Schema,
  identity: ReplicaIdentity,
  begin: (meta: Meta) => Promise<void>,
): Promise<{ readonly head: StoredHead; readonly meta: StoredMeta }> {
  const { client, keys } = list;
  let state = await list.state();
  if (state === undefined) {
    await begin(newMeta(identity));
    state = await list.state();
    if (state === undefined) throw new EtcdError('unknown', 'the list is gone');
  }
  const { head, meta, fields } = state;
  const where = `ETCD_PREFIX ${keys.prefix}`;
  const value = metaOf(meta.value, where, identity);
  const described = describedFields(schema, fields?.value, where);
  if (described !== fields?.value) {
    const compare = [isUnchanged(keys.fields, fields?.modRevision ?? 0)];
    const success = [put(keys.fields, described)];
    const { succeeded } = await client.txn({ compare, success }, { deadline: requestDeadline() });
    // Perhaps by another attempt of this transaction.
    if (!succeeded) throw new EtcdError('unknown', `${keys.fields} has just been written`);
  }
  return { head, meta: { value, revision: meta.modRevision } };
}

import { clock } from '../../clock.ts';
import type { Schema } from '../../table/index.ts';
import { EtcdError } from '../etcd/error.ts';
import { get, isUnchanged, put } from '../etcd/json.ts';
import type { ReplicaParts } from '../parts.ts';
import { headOf, NO_HEAD, nextHead } from '../stored/commit-head.ts';
import { nextGeneration } from '../stored/keys.ts';
import { describedFields, metaOf, newMeta, type ReplicaIdentity } from '../stored/meta.ts';
import { sweep, writeGeneration } from './generations.ts';

/**
 * Reads the stored list; creates it if there is none. Describes the fields that are new.
 * @throws EtcdError, IncompatibleError if this replica cannot use it
 */
export async function openList(parts: ReplicaParts, schema: Schema, identity: ReplicaIdentity) {
  const { client, keys } = parts.list;
  const success = [keys.meta, keys.head, keys.fields].map(get);
  let [meta, head, fields] = (await client.txn({ success })).found;
  if (meta === undefined || head === undefined) {
    await createList(parts, identity);
    [meta, head, fields] = (await client.txn({ success })).found;
  }
  if (meta === undefined || head === undefined) throw new EtcdError('unknown', 'the list is gone');
  const where = `ETCD_PREFIX ${keys.prefix}`;
  const value = metaOf(meta.value, where, identity);
  const described = describedFields(schema, fields?.value, where);
  if (described !== fields?.value) {
    const compare = [isUnchanged(keys.fields, fields?.modRevision ?? 0)];
    const { succeeded } = await client.txn({ compare, success: [put(keys.fields, described)] });
    // Perhaps by another attempt of this transaction.
    if (!succeeded) throw new EtcdError('unknown', `${keys.fields} has just been written`);
  }
  return { head: headOf(head), meta: { value, revision: meta.modRevision } };
}

/** Creates a list with the seed. If several replicas try, one succeeds. @throws EtcdError */
async function createList(parts: ReplicaParts, identity: ReplicaIdentity): Promise<void> {
  const { list, rows, writer, seedItems, timeoutMs } = parts;
  const { client, keys } = list;
  const meta = newMeta(identity);
  const generation = nextGeneration();
  // The limit may still be that of a former list, which was deleted.
  rows.table.maxRows = meta.limits.maxRows;
  const items = await seedItems();
  const compare = await writeGeneration(parts, generation, items, isUnchanged(keys.meta, 0));
  if (compare === undefined) return;
  const rest = { generation, idsAssigned: items.length, changes: 0 };
  const success = [
    put(keys.meta, JSON.stringify(meta)),
    put(keys.generation, generation),
    put(keys.head, JSON.stringify(nextHead(NO_HEAD, writer.name, 0, meta.id, rest))),
  ];
  // It is safe to send this again: only the first one finds no `meta`.
  await client.txn({ compare, success }, { deadline: clock.now() + timeoutMs });
  sweep(list, generation);
}

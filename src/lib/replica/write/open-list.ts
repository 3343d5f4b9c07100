import { clock } from '../../clock.ts';
import { IncompatibleError, StoreError, UnreadableError } from '../errors.ts';
import { get, isUnchanged, put } from '../etcd/json.ts';
import type { ReplicaTable } from '../read/replica-table.ts';
import { headOf, NO_HEAD, nextHead, type StoredHead } from '../stored/commit-head.ts';
import { nextGeneration } from '../stored/keys.ts';
import type { ListSchema } from '../stored/list-table.ts';
import type { ReplicaIdentity } from '../stored/meta.ts';
import { describedFields, metaOf, newMeta, type StoredMeta } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';
import type { CommitWriter } from './commit-writer.ts';
import type { Generations, MakeRows } from './generations.ts';

/** What opening a list takes. */
export interface OpenParts {
  readonly list: StoredList;
  readonly rows: ReplicaTable;
  readonly writer: CommitWriter;
  readonly generations: Generations;
  readonly schema: ListSchema;
  readonly identity: ReplicaIdentity;
  /** Makes the rows that a new list begins with. */
  readonly makeRows: MakeRows;
  /** How long the creation may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;
}

/** A list as it is stored. */
export interface OpenedList {
  readonly head: StoredHead;
  readonly meta: StoredMeta;
}

/**
 * Reads the stored list; creates it if there is none. Describes the fields that are new.
 * @throws StoreError; IncompatibleError if this replica cannot use it
 */
export async function openList(parts: OpenParts): Promise<OpenedList> {
  const { list, schema, identity } = parts;
  const { client, keys } = list;
  const success = [keys.meta, keys.head, keys.fields].map(get);
  let [meta, head, fields] = (await client.txn({ success })).found;
  if (meta === undefined && head === undefined) {
    await createList(parts);
    [meta, head, fields] = (await client.txn({ success })).found;
  }
  const where = `ETCD_PREFIX ${keys.prefix}`;
  if (meta === undefined) throw new IncompatibleError(`${where} has a list without a meta`);
  const value = metaOf(meta.value, where, identity);
  if (head === undefined) throw new UnreadableError(keys.head, 'is missing');
  const described = describedFields(schema, fields?.value, where);
  if (described !== fields?.value) {
    const compare = [isUnchanged(keys.fields, fields?.modRevision ?? 0)];
    const { succeeded } = await client.txn({ compare, success: [put(keys.fields, described)] });
    // Perhaps by another attempt of this transaction.
    if (!succeeded) throw new StoreError(`${keys.fields} has just been written`);
  }
  return { head: headOf(head), meta: { value, revision: meta.modRevision } };
}

/** Creates a list. If several replicas try, one succeeds. @throws EtcdError */
async function createList(parts: OpenParts): Promise<void> {
  const { list, rows, writer, generations, identity, makeRows, timeoutMs } = parts;
  const { client, keys } = list;
  const meta = newMeta(identity);
  const generation = nextGeneration();
  // The limit may still be that of a former list, which was deleted.
  rows.table.maxRows = meta.limits.maxRows;
  const made = await makeRows();
  const compare = await generations.write(generation, made.rows, isUnchanged(keys.meta, 0));
  if (compare === undefined) return;
  const rest = { generation, idsAssigned: made.idsAssigned, changes: 0 };
  const success = [
    put(keys.meta, JSON.stringify(meta)),
    put(keys.generation, generation),
    put(keys.head, JSON.stringify(nextHead(NO_HEAD, writer.name, 0, meta.id, rest))),
  ];
  // It is safe to send this again: only the first one finds no `meta`.
  await client.txn({ compare, success }, { deadline: clock.now() + timeoutMs });
  // Nobody waits for it: what it cannot delete is never shown.
  void generations.sweep(generation);
}

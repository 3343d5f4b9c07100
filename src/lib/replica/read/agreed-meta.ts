import { IncompatibleError, StoreError, UnreadableError } from '../errors.ts';
import { get, isUnchanged, type KeyChange, put } from '../etcd/json.ts';
import { headOf } from '../stored/commit-head.ts';
import type { ListSchema } from '../stored/list-table.ts';
import { describedFields, type Meta, metaOf, type ReplicaIdentity } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** What is wrong with a list that has a head, but no `meta`. */
const NO_META = 'has a list without a meta';

/** A replica that a list has to fit. */
interface ListUser {
  readonly schema: ListSchema;
  readonly identity: ReplicaIdentity;
  /** Creates the list, unless another replica is faster. */
  readonly create: () => Promise<void>;
}

/** What all replicas must agree on, and whether what is stored of it still fits this replica. */
export class AgreedMeta {
  readonly #list: StoredList;
  readonly #replica: ListUser;
  /** Names the list in errors. */
  readonly #where: string;
  /** As it was when it fitted last; undefined until it has been read. */
  current: Meta | undefined;
  /** Why nothing can be written, although the list can be read. */
  misfit: IncompatibleError | undefined;

  constructor(list: StoredList, replica: ListUser) {
    this.#list = list;
    this.#replica = replica;
    this.#where = `ETCD_PREFIX ${list.keys.prefix}`;
  }

  /**
   * Reads it, and the head of the list; creates the list if there is none. Describes the fields
   * that are new. @throws StoreError; IncompatibleError if this replica cannot use the list
   */
  async open() {
    const { client, keys } = this.#list;
    const { schema, identity, create } = this.#replica;
    const success = [keys.meta, keys.head, keys.fields].map(get);
    let [meta, head, fields] = (await client.txn({ success })).found;
    if (meta === undefined && head === undefined) {
      await create();
      [meta, head, fields] = (await client.txn({ success })).found;
    }
    if (meta === undefined) throw new IncompatibleError(this.#where, NO_META);
    const agreed = metaOf(meta, this.#where, identity);
    if (head === undefined) throw new UnreadableError(keys.head, 'is missing');
    const described = describedFields(schema, fields?.value, this.#where);
    if (described !== fields?.value) {
      const compare = [isUnchanged(keys.fields, fields?.modRevision ?? 0)];
      const { succeeded } = await client.txn({ compare, success: [put(keys.fields, described)] });
      // Another attempt of this transaction may have written it.
      if (!succeeded) throw new StoreError(`${keys.fields} has just been written`);
    }
    this.current = agreed;
    this.misfit = undefined;
    return { head: headOf(head), maxRows: agreed.maxRows };
  }

  /**
   * Takes what the watch or `check` has found. If that is older than the last one, it is checked
   * again: as long as there is a misfit, and after a write. After a restore from a backup, it is
   * as it should be. @returns false if it is another list's
   */
  take({ value, modRevision }: Pick<KeyChange, 'value' | 'modRevision'>): boolean {
    const { current } = this;
    if (current === undefined) return false;
    try {
      if (value === undefined) throw new IncompatibleError(this.#where, NO_META);
      const meta = metaOf({ value, modRevision }, this.#where, this.#replica.identity);
      if (meta.maxRows !== current.maxRows || meta.id !== current.id) return false;
      this.current = meta;
      this.misfit = undefined;
    } catch (error) {
      if (!(error instanceof IncompatibleError)) throw error;
      this.misfit = error;
    }
    return true;
  }

  /** Reads it again. @returns false if it is another list's @throws EtcdError */
  async check(): Promise<boolean> {
    const { client, keys } = this.#list;
    const { found } = await client.txn({ success: [get(keys.meta)] });
    const [meta = { value: undefined, modRevision: 0 }] = found;
    return this.take(meta);
  }
}

import { clock } from '../../clock.ts';
import type { Schema } from '../../table/schema/column.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { EtcdError } from '../etcd/error.ts';
import { isUnchanged, put } from '../etcd/messages.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import { describedFields } from '../stored/described-fields.ts';
import type { Keys } from '../stored/keys.ts';
import {
  type Meta,
  metaOf,
  newMeta,
  type ReplicaIdentity,
  type StoredMeta,
} from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** The time limit of each request, in milliseconds. */
const REQUEST_MS = 3_000;

/** What an opener needs. */
export interface OpenerParts {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly list: StoredList;
  readonly schema: Schema;
  readonly identity: ReplicaIdentity;
  /** Creates the list if there is none. @throws EtcdError */
  readonly begin: (meta: Meta) => Promise<void>;
}

/** Prepares the stored list for this replica. */
export class ListOpener {
  readonly #parts: OpenerParts;

  constructor(parts: OpenerParts) {
    this.#parts = parts;
  }

  /**
   * Reads the stored list; creates it if there is none. Describes the fields that are new.
   * @throws EtcdError
   * @throws IncompatibleError if this replica cannot use it
   */
  async open(): Promise<{ readonly head: StoredHead; readonly meta: StoredMeta }> {
    const { keys, list, schema, identity, begin } = this.#parts;
    let state = await list.state(deadline());
    if (state === undefined) {
      await begin(newMeta(identity));
      state = await list.state(deadline());
      if (state === undefined) throw new EtcdError('unknown', 'the list is gone');
    }
    const where = `ETCD_PREFIX ${keys.prefix}`;
    const meta = {
      value: metaOf(state.meta.value, where, identity),
      revision: state.meta.modRevision,
    };
    const { fields } = state;
    const described = describedFields(schema, fields?.value, where);
    if (described !== fields?.value) {
      await this.#replace(keys.fields, fields?.modRevision ?? 0, described);
    }
    return { head: state.head, meta };
  }

  /** @throws EtcdError if the key was written after the revision, perhaps by another attempt */
  async #replace(key: string, revision: number, value: string): Promise<void> {
    const body = { compare: [isUnchanged(key, revision)], success: [put(key, value)] };
    const { succeeded } = await this.#parts.client.txn(body, { deadline: deadline() });
    if (!succeeded) throw new EtcdError('unknown', `${key} has just been written`);
  }
}

function deadline(): number {
  return clock.now() + REQUEST_MS;
}

import type { Integer } from '../../lib/table/index.ts';
import type { EtcdClient } from './etcd/client.ts';
import type { ReplicaIdentity } from './head.ts';
import type { ListItems, RowCodec } from './rows.ts';

/** A stored list, and the items that show it. */
export interface ReplicatedList {
  readonly etcd: EtcdClient;
  readonly keys: Keys;
  readonly identity: ReplicaIdentity;
  /** The items of the head that the follower has reached. */
  items: ListItems;
  readonly codec: RowCodec;
  /** The maximum time that a request waits for etcd, in milliseconds. */
  readonly timeoutMs: number;
}

/** The number of digits of the largest id. All ids get as many, so that keys sort like ids. */
const ID_DIGITS = 19;

/** The keys of one list. */
export type Keys = ReturnType<typeof keysOf>;

/**
 * The keys of one list below a prefix. Only the rows of the current generation count. Other rows
 * are in preparation for a reset, or left over. `rows` is the prefix of all rows, and `rowsOf` that
 * of a generation.
 *
 *     head                   written last in every commit: see `Head`
 *     generation             the name of the current generation of rows
 *     row/<generation>/<id>  one row
 */
export function keysOf(prefix: string) {
  const rows = `${prefix}row/`;
  const rowsOf = (generation: string) => `${rows}${generation}/`;
  return {
    prefix,
    head: `${prefix}head`,
    generation: `${prefix}generation`,
    rows,
    rowsOf,
    row: (generation: string, id: Integer) =>
      `${rowsOf(generation)}${String(id).padStart(ID_DIGITS, '0')}`,
  };
}

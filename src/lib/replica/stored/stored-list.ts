import { clock } from '../../clock.ts';
import type { Integer } from '../../table/index.ts';
import type { EtcdClient, SendOptions } from '../etcd/client.ts';
import { encode, type KeyValue, range } from '../etcd/json.ts';
import { headOf, type StoredHead } from './commit-head.ts';
import type { ListSchema } from './list-table.ts';

/** Keys per page. Parsing a page takes about a millisecond. */
const PAGE_ROWS = 500;

/**
 * The maximum number of ids in the range of a page after the first one. etcd visits all keys of a
 * range, also beyond the limit, so without an end each page would cost as much as all that follow.
 */
const MAX_PAGE_IDS = 2_000n;

/** The time limit of a page, in milliseconds. */
const PAGE_MS = 10_000;

/** The digits of the largest id, so that keys sort like ids. */
const ID_DIGITS = 19;

/** The digits of a generation's number, so that names sort by it. */
const GENERATION_DIGITS = 10;

/** The stored list: its keys, and functions that read them. */
export class StoredList {
  readonly client: EtcdClient;
  readonly keys: Keys;
  /** The maximum time that a request waits for etcd, in milliseconds. */
  readonly timeoutMs: number;
  /** The number of ids that the list can assign. */
  readonly #maxIds: bigint;

  constructor(client: EtcdClient, prefix: string, timeoutMs: number, { id }: ListSchema) {
    this.client = client;
    this.keys = keysOf(prefix);
    this.timeoutMs = timeoutMs;
    this.#maxIds = BigInt(id.identity.to) - BigInt(id.identity.from) + 1n;
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return clock.now() + this.timeoutMs;
  }

  /** Reads a stored head. @throws IncompatibleError if it is invalid */
  headOf(stored: KeyValue): StoredHead {
    return headOf(stored, this.#maxIds);
  }

  /** Fetches the current head, and the cluster's revision. @throws StoreError */
  head(options?: SendOptions) {
    return this.headAt(0, options);
  }

  /**
   * Fetches the head as it was at a revision, and the cluster's revision.
   * @param at 0 for the current head
   * @throws StoreError; GapError if etcd has compacted the revision
   */
  async headAt(at: number, options?: SendOptions) {
    const body = { key: encode(this.keys.head), revision: String(at) };
    const { found, revision } = await this.client.range(body, options);
    return { head: found[0] && this.headOf(found[0]), revision };
  }

  /** Finds the head that followed `base`, at or before `now`. @throws StoreError */
  async headAfter(base: StoredHead, now: StoredHead, deadline: number): Promise<StoredHead> {
    let [from, found] = [base.revision + 1, now];
    while (found.version > base.version + 1 && from < found.revision) {
      const middle = Math.floor((from + found.revision - 1) / 2);
      const { head } = await this.headAt(middle, { deadline });
      if (head !== undefined && head.version > base.version) found = head;
      else from = middle + 1;
    }
    return found;
  }

  /**
   * Reads keys with their values, in order, in pages.
   * @param options further members of the requests
   * @throws EtcdError; GapError if etcd has compacted the revision of `options`
   */
  async *pages(
    from: string,
    end: string,
    options: object,
  ): AsyncGenerator<readonly KeyValue[], void> {
    for (let [start, to] = [from, end]; ; ) {
      const body = { ...range(start, to), ...options, limit: String(PAGE_ROWS) };
      const limits = { deadline: clock.now() + PAGE_MS, attemptMs: PAGE_MS / 2 };
      const { found, hasMore } = await this.client.range(body, limits);
      yield found;
      const last = found.at(-1);
      if (hasMore && last !== undefined) {
        [start, to] = [`${last.key}\0`, pageEnd(last.key) ?? end];
      } else if (to === end) return;
      else [start, to] = [to, end];
    }
  }
}

/** The keys of one list. */
export type Keys = ReturnType<typeof keysOf>;

/**
 * The keys of one list below a prefix. Replicas read only the rows of the current generation. Other
 * generations are in preparation, or left over.
 *
 *     meta                   shared by all replicas: format, variant, fields, limits and id
 *     generation             the name of the current generation of rows
 *     row/<generation>/<id>  one row
 *     head                   written last in every transaction that changes the list
 */
export function keysOf(prefix: string) {
  const rows = `${prefix}row/`;
  const rowsOf = (generation: string) => `${rows}${generation}/`;
  return {
    prefix,
    meta: `${prefix}meta`,
    legacyFields: `${prefix}fields`,
    generation: `${prefix}generation`,
    head: `${prefix}head`,
    rows,
    rowsOf,
    row: (generation: string, id: Integer) => `${rowsOf(generation)}${digitsOf(id)}`,
  };
}

function digitsOf(id: Integer): string {
  return String(id).padStart(ID_DIGITS, '0');
}

/** The end of the page after a row's key; undefined after a key that no replica has written. */
function pageEnd(key: string): string | undefined {
  const id = key.slice(-ID_DIGITS);
  if (!/^\d{19}$/.test(id)) return undefined;
  const end = `${key.slice(0, -ID_DIGITS)}${digitsOf(BigInt(id) + MAX_PAGE_IDS)}`;
  return end > key ? end : undefined;
}

/** Creates a unique name for the first generation, or for the one after `before`. */
export function nextGeneration(before = ''): string {
  return `${afterGeneration(before)}-${crypto.randomUUID()}`;
}

/** Sorts after all names with the same number, and before all names with higher numbers. */
export function afterGeneration(name: string): string {
  const number = Number(name.slice(0, GENERATION_DIGITS)) + 1;
  return String(number).padStart(GENERATION_DIGITS, '0');
}

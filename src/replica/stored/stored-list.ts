import { clock } from '../../clock.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { encode, get, type KeyValue, keyValueOf, prefixEnd } from '../etcd/messages.ts';
import { headOf, type StoredHead } from './commit-head.ts';
import type { Keys } from './keys.ts';

/** Rows per page. */
const PAGE_ROWS = 2_000;

/** How long a page may take, in milliseconds. */
const PAGE_MS = 10_000;

/** Everything stored at one moment, except the rows. */
export interface ListState {
  readonly meta: KeyValue;
  readonly head: StoredHead;
  /** The cluster revision at that moment. */
  readonly revision: number;
}

/** Reads the stored list. */
export class StoredList {
  readonly #client: EtcdClient;
  readonly #keys: Keys;

  constructor(client: EtcdClient, keys: Keys) {
    this.#client = client;
    this.#keys = keys;
  }

  /**
   * What is stored now; undefined if there is nothing.
   * @throws EtcdError
   */
  async state(deadline: number): Promise<ListState | undefined> {
    const success = [get(this.#keys.meta), get(this.#keys.head)];
    const { header, responses = [] } = await this.#client.txn({ success }, { deadline });
    const [meta, head] = responses.map(({ response_range: range }) => range?.kvs?.[0]);
    if (meta === undefined || head === undefined) return undefined;
    const revision = Number(header.revision);
    return { meta: keyValueOf(meta), head: headOf(keyValueOf(head)), revision };
  }

  /**
   * The head, now or in a revision.
   * @throws EtcdError, with `isOutOfRange` if etcd does not have the revision
   */
  async head(
    deadline: number,
    revision = 0,
  ): Promise<{ readonly head: StoredHead | undefined; readonly revision: number }> {
    const body = { key: encode(this.#keys.head), revision: String(revision) };
    const { header, kvs } = await this.#client.range(body, { deadline });
    const [head] = kvs ?? [];
    return { head: head && headOf(keyValueOf(head)), revision: Number(header.revision) };
  }

  /**
   * The revision of the head's last write; 0 if there is no head.
   * @throws EtcdError
   */
  async headRevision(deadline: number): Promise<number> {
    const body = { key: encode(this.#keys.head), keys_only: true };
    const { kvs } = await this.#client.range(body, { deadline });
    return Number(kvs?.[0]?.mod_revision ?? 0);
  }

  /**
   * The rows of a generation in a revision, page by page, by id.
   * @throws EtcdError
   */
  async *rows(generation: string, revision: number): AsyncGenerator<readonly KeyValue[], void> {
    const prefix = this.#keys.rowsOf(generation);
    const range_end = encode(prefixEnd(prefix));
    for (let key = prefix, more = true; more; ) {
      const { kvs = [], ...page } = await this.#client.range(
        { key: encode(key), range_end, limit: String(PAGE_ROWS), revision: String(revision) },
        { deadline: clock.now() + PAGE_MS, attemptMs: PAGE_MS / 2 },
      );
      const rows = kvs.map(keyValueOf);
      yield rows;
      key = `${rows.at(-1)?.key}\0`;
      more = page.more === true && rows.length > 0;
    }
  }
}

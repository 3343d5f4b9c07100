import { clock } from '../../clock.ts';
import type { EtcdClient, SendOptions } from '../etcd/client.ts';
import { GapError } from '../etcd/error.ts';
import { encode, prefixEnd, range } from '../etcd/json.ts';
import { headOf, type StoredHead } from './commit-head.ts';
import { type Keys, keysOf } from './keys.ts';

/** Rows per page. They are put into the table in one turn of the event loop. */
const PAGE_ROWS = 1_000;

/** How long a page may take, in milliseconds. */
const PAGE_MS = 10_000;

/** The stored list: where it is, and what is read of it. */
export class StoredList {
  readonly client: EtcdClient;
  readonly keys: Keys;
  /** How long a request may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;

  constructor(client: EtcdClient, prefix: string, timeoutMs: number) {
    this.client = client;
    this.keys = keysOf(prefix);
    this.timeoutMs = timeoutMs;
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return clock.now() + this.timeoutMs;
  }

  /**
   * The head, now or in a revision, and the cluster's revision.
   * @throws EtcdError, GapError, UnreadableError
   */
  async head(options?: SendOptions, at = 0) {
    const body = { key: encode(this.keys.head), revision: String(at) };
    const { found, revision } = await this.client.range(body, options);
    return { head: found[0] && headOf(found[0]), revision };
  }

  /** Whether a later head's history has a head; true if it is compacted. @throws StoreError */
  async hasHead({ text, revision }: StoredHead, now: StoredHead): Promise<boolean> {
    if (now.revision <= revision) return now.revision === revision && now.text === text;
    try {
      return (await this.head(undefined, revision)).head?.text === text;
    } catch (error) {
      if (error instanceof GapError) return true;
      throw error;
    }
  }

  /** The first head after another one, up to a later one. @throws StoreError */
  async headAfter(base: StoredHead, now: StoredHead, deadline: number): Promise<StoredHead> {
    let [from, found] = [base.revision + 1, now];
    while (found.version > base.version + 1 && from < found.revision) {
      const middle = Math.floor((from + found.revision - 1) / 2);
      const { head } = await this.head({ deadline }, middle);
      if (head !== undefined && head.version > base.version) found = head;
      else from = middle + 1;
    }
    return found;
  }

  /**
   * A page of the rows of a generation from a key on, by id, as they are now; and where the next
   * one begins, if there is one. @throws EtcdError
   */
  async page(generation: string, from = this.keys.rowsOf(generation)) {
    const rest = range(from, prefixEnd(this.keys.rowsOf(generation)));
    const body = { ...rest, limit: String(PAGE_ROWS) };
    const options = { deadline: clock.now() + PAGE_MS, attemptMs: PAGE_MS / 2 };
    const { found: rows, hasMore } = await this.client.range(body, options);
    const last = rows.at(-1);
    return { rows, next: hasMore && last ? `${last.key}\0` : undefined };
  }
}

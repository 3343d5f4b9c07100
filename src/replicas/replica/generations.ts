import { sendCommit, type UnsentCommit } from './commit.ts';
import { MAX_COMMIT_ROWS, MAX_COMMIT_TEXT } from './dry-run.ts';
import { ignoreStoreError, StoreError } from './errors.ts';
import { exists, hasValue, isAbsent, prefixEnd, put, range, remove } from './etcd/gateway.ts';
import type { Follower } from './follower.ts';
import { Head } from './head.ts';
import type { OtherWriters } from './other-writers.ts';
import type { ListItems } from './rows.ts';

/** The maximum attempts of a reset when other resets come first. */
const MAX_TRIES = 10;

/**
 * Creates a list, and replaces all of its rows. The rows of a new generation are written before it
 * is visible. One commit makes it current. Then one request deletes all other rows.
 */
export class Generations {
  readonly #follower: Follower;
  readonly #writers: OtherWriters;

  constructor(follower: Follower, writers: OtherWriters) {
    this.#follower = follower;
    this.#writers = writers;
  }

  /** Creates a list. If several replicas try, one succeeds. @throws StoreError */
  async create(items: ListItems): Promise<void> {
    const { etcd, keys, identity } = this.#follower.list;
    const prepared = await this.#prepare(items, isAbsent(keys.head));
    if (prepared === undefined) return;
    const { operations, generation, idsAssigned, compare } = prepared;
    const changes = operations.length;
    const members = { generation, idsAssigned: String(idsAssigned), changes };
    const head = Head.first(identity, members, this.#writers.newToken());
    // Safe to repeat, because only the first attempt finds no head.
    await etcd.txn({
      // A generation without a head is a damaged list, which is not to be replaced.
      compare: [...compare, isAbsent(keys.generation)],
      success: [...operations, put(keys.generation, generation), put(keys.head, head)],
    });
  }

  /** Replaces all rows; ids start again. @throws as `Replica.reset` does */
  async reset(items: ListItems): Promise<void> {
    const follower = this.#follower;
    const { keys } = follower.list;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await follower.catchUp();
      const generation = follower.head?.members.generation ?? '';
      const prepared = await this.#prepare(items, hasValue(keys.generation, generation));
      if (prepared && (await this.#makeCurrent(generation, prepared))) {
        // Not awaited, because leftover rows are never read.
        void this.#deleteOthers(prepared.generation);
        return;
      }
    }
    throw new StoreError(`${keys.generation} has changed: another reset or program wrote it`);
  }

  /** Makes a prepared generation current; false if another one has become current. */
  async #makeCurrent(before: string, prepared: Prepared): Promise<boolean> {
    const follower = this.#follower;
    const deadline = follower.deadline();
    for (;;) {
      const { head: base } = follower;
      if (base?.members.generation !== before) return false;
      const token = this.#writers.newToken();
      const revision = await sendCommit(follower, { base, token, deadline, ...prepared });
      if (revision !== undefined) return true;
      // Another comparison has failed.
      if (base.next === undefined) return false;
    }
  }

  /**
   * Writes the rows of a new generation in transactions, except the last rows, which the commit
   * itself writes. Each requires `condition`, and the rows of the previous transaction, which a
   * restore of etcd from a backup may have removed.
   * @returns the rest of the commit; undefined if a comparison has failed
   */
  async #prepare({ table }: ListItems, condition: object): Promise<Prepared | undefined> {
    const { etcd, keys, codec } = this.#follower.list;
    const generation = crypto.randomUUID();
    const { idsAssigned } = table;
    let compare: readonly object[] = [condition];
    let operations: object[] = [];
    let textLength = 0;
    let lastKey = '';
    for (const row of table.search()) {
      const text = codec.encode(row);
      textLength += text.length;
      const isFull = operations.length >= MAX_COMMIT_ROWS || textLength > MAX_COMMIT_TEXT;
      if (isFull && operations.length > 0) {
        // Safe to repeat, because it writes the same rows.
        if (!(await etcd.txn({ compare, success: operations })).succeeded) return undefined;
        compare = [condition, exists(lastKey)];
        operations = [];
        textLength = text.length;
      }
      lastKey = keys.row(generation, row.id);
      operations.push(put(lastKey, text));
    }
    return { compare, operations, generation, idsAssigned };
  }

  /** Deletes the rows of the other generations while this one is current. */
  async #deleteOthers(generation: string): Promise<void> {
    const { etcd, keys } = this.#follower.list;
    const own = keys.rowsOf(generation);
    const others = [range(keys.rows, own), range(prefixEnd(own), prefixEnd(keys.rows))];
    const compare = [hasValue(keys.generation, generation)];
    // If this fails, the next reset deletes the rows.
    await ignoreStoreError(etcd.txn({ compare, success: others.map(remove) }));
  }
}

/** The part of an `UnsentCommit` that makes a generation current. */
type Prepared = Pick<UnsentCommit, 'operations' | 'generation' | 'idsAssigned'> & {
  readonly compare: readonly object[];
};

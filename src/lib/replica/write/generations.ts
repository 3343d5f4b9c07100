import { clock } from '../../clock.ts';
import { EtcdError, InterruptedWriteError, StoreError } from '../errors.ts';
import { exists, hasValue, isUnchanged, prefixEnd, put, range, remove } from '../etcd/json.ts';
import type { EtcdFollower } from '../read/etcd-follower.ts';
import type { ReadIndex } from '../read/read-index.ts';
import type { ReplicaTable } from '../read/replica-table.ts';
import { nextHead, textOfHead } from '../stored/commit-head.ts';
import type { ListRow } from '../stored/list-table.ts';
import { newMeta, type ReplicaIdentity } from '../stored/meta.ts';
import { afterGeneration, nextGeneration, type StoredList } from '../stored/stored-list.ts';
import type { CommitWriter, UnsentTransaction } from './commit-writer.ts';
import { MAX_TRANSACTION_ROWS, MAX_TRANSACTION_TEXT } from './dry-run.ts';

/** How many rows to delete in a transaction. */
const DELETED_ROWS = 1_000;

/** The time limit of such a transaction, in milliseconds. */
const DELETE_MS = 10_000;

/** How often to begin a reset again because another one came first. */
const MAX_TRIES = 10;

/** Makes all rows of a new generation, by ascending id, and counts the ids that it assigns. */
export type MakeRows = () => Promise<{
  readonly rows: readonly ListRow[];
  readonly idsAssigned: bigint;
}>;

/**
 * Writes generations of rows, however large, while they are not shown. Then one transaction makes
 * one of them current, and the rows of old ones are deleted.
 */
export class Generations {
  readonly #list: StoredList;
  readonly #rows: ReplicaTable;
  readonly #writer: CommitWriter;

  constructor(list: StoredList, rows: ReplicaTable, writer: CommitWriter) {
    this.#list = list;
    this.#rows = rows;
    this.#writer = writer;
  }

  /** Creates a list. If several replicas try, one succeeds. @throws EtcdError */
  async create(identity: ReplicaIdentity, makeRows: MakeRows): Promise<void> {
    const { client, keys } = this.#list;
    const generation = nextGeneration();
    this.#rows.table.maxRows = identity.maxRows;
    const { rows, idsAssigned } = await makeRows();
    const compare = await this.#write(generation, rows, isUnchanged(keys.meta, 0));
    if (compare === undefined) return;
    const head = nextHead({}, this.#writer.name, 0, { generation, idsAssigned, changes: 0 });
    const success = [
      put(keys.meta, newMeta(identity)),
      put(keys.generation, generation),
      put(keys.head, textOfHead(head)),
    ];
    // It is safe to send this again: only the first one finds no `meta`.
    await client.txn({ compare, success }, { deadline: this.#list.deadline() });
    // Not awaited, because rows that cannot be deleted are never shown.
    void this.#deleteOthers(generation);
  }

  /** Replaces all rows; ids start again. @throws as `Replica.reset` does */
  async reset(follower: EtcdFollower, readIndex: ReadIndex, makeRows: MakeRows): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await readIndex.wait();
      const before = follower.head?.generation ?? '';
      const generation = nextGeneration(before);
      const { rows, idsAssigned } = await makeRows();
      const isCurrent = hasValue(this.#list.keys.generation, before);
      const compare = await this.#write(generation, rows, isCurrent);
      const head = { generation, idsAssigned, changes: rows.length };
      if (compare && (await this.#makeCurrent(follower, before, head, compare))) {
        // Not awaited, because rows that cannot be deleted are never shown.
        void this.#deleteOthers(generation);
        return;
      }
    }
    const { generation } = this.#list.keys;
    throw new StoreError(`${generation} has changed: another reset or program wrote it`);
  }

  /** Makes a generation the current one; false if another was faster, or `compare` fails. */
  async #makeCurrent(
    follower: EtcdFollower,
    before: string,
    next: UnsentTransaction['head'],
    compare: readonly object[],
  ): Promise<boolean> {
    const deadline = this.#list.deadline();
    const operations = [put(this.#list.keys.generation, next.generation)];
    for (;;) {
      const { head: base } = follower;
      if (base?.generation !== before) return false;
      try {
        const transaction = { base, compare, deadline, operations, head: next };
        const { isApplied, head } = await this.#writer.write(transaction);
        // If applied, it has happened, even if this replica needs longer to show it.
        if (head !== base) await follower.tryToReach(head, deadline);
        if (isApplied) return true;
        if (head === base) return false;
      } catch (error) {
        throw error instanceof StoreError ? error : new InterruptedWriteError(error);
      }
    }
  }

  /**
   * Writes the rows of a generation in parts that fit a transaction, each only if a condition holds
   * and the one before is there: etcd may be restored from a backup meanwhile.
   * @returns the comparisons that hold while all are there; undefined if one does not
   */
  async #write(generation: string, rows: readonly ListRow[], condition: object) {
    const { client, keys } = this.#list;
    const own = keys.rowsOf(generation);
    let compare = [condition];
    for (let written = 0; written < rows.length; ) {
      const success: ReturnType<typeof put>[] = [];
      let length = 0;
      let key = '';
      for (const row of rows.slice(written, written + MAX_TRANSACTION_ROWS)) {
        const text = this.#rows.codec.encode(row);
        length += text.length;
        if (length > MAX_TRANSACTION_TEXT && success.length > 0) break;
        key = keys.row(generation, row.id);
        success.push(put(key, text));
      }
      try {
        // It is safe to send this again: it writes the same rows.
        const answer = await client.txn({ compare, success }, { deadline: this.#list.deadline() });
        if (!answer.succeeded) return undefined;
      } catch (error) {
        // The rows written so far may have filled etcd, which would stay full.
        void this.#delete(own, prefixEnd(own), [condition]);
        throw error;
      }
      written += success.length;
      compare = [condition, exists(key)];
    }
    return compare;
  }

  /**
   * Deletes the rows of all other generations, only while this one is current, except later ones,
   * which may be in preparation. The next reset deletes the rest.
   */
  async #deleteOthers(generation: string): Promise<void> {
    const { keys } = this.#list;
    const own = keys.rowsOf(generation);
    const compare = [hasValue(keys.generation, generation)];
    await this.#delete(keys.rows, own, compare);
    await this.#delete(prefixEnd(own), `${keys.rows}${afterGeneration(generation)}`, compare);
  }

  /** Deletes rows that are never shown, in steps, as long as etcd can and `compare` holds. */
  async #delete(from: string, end: string, compare: readonly object[]): Promise<void> {
    const { client } = this.#list;
    try {
      // etcd goes through deleted keys as well. So each step begins where the last one ended.
      for (let [start, next] = [from, from]; ; start = next) {
        const limit = { deadline: clock.now() + DELETE_MS };
        const body = { ...range(start, end), keys_only: true, limit: DELETED_ROWS };
        const last = (await client.range(body, limit)).found.at(-1);
        if (last === undefined) return;
        next = `${last.key}\0`;
        const success = [remove(range(start, next))];
        if (!(await client.txn({ compare, success }, limit)).succeeded) return;
      }
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
    }
  }
}

import { InterruptedWriteError, StoreError } from '../errors.ts';
import { EtcdError } from '../etcd/etcd-error.ts';
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

/** The maximum attempts of a reset when other resets come first. */
const MAX_TRIES = 10;

/** Makes all rows of a new generation, by ascending id, and counts the ids that it assigns. */
export type MakeRows = () => Promise<{
  readonly rows: readonly ListRow[];
  readonly idsAssigned: bigint;
}>;

/**
 * Writes all rows of a new generation before it is visible. Then one transaction makes the new
 * generation current, and the rows of old generations are deleted.
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
    // A list begins with its rows. They change nothing.
    const head = nextHead({}, this.#writer.name, 0, { generation, idsAssigned, changes: 0 });
    const success = [
      put(keys.meta, newMeta(identity)),
      put(keys.generation, generation),
      put(keys.head, textOfHead(head)),
    ];
    // Safe to repeat, because only the first attempt finds no `meta`.
    await client.txn({ compare, success }, { deadline: this.#list.deadline() });
    // Not awaited, because leftover rows are never read.
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
        // Not awaited, because leftover rows are never read.
        void this.#deleteOthers(generation);
        return;
      }
    }
    const { generation } = this.#list.keys;
    throw new StoreError(`${generation} has changed: another reset or program wrote it`);
  }

  /** Makes a generation current; false if another reset was faster, or `compare` fails. */
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
        // If applied, the reset has succeeded, even if this replica is slow to load it.
        if (head !== base) await follower.tryToReach(head, deadline);
        if (isApplied) return true;
        if (head === base) return false;
      } catch (error) {
        throw error instanceof StoreError ? error : new InterruptedWriteError(error);
      }
    }
  }

  /**
   * Writes the rows of a generation in transactions. Each requires `condition` and the rows of the
   * previous one, which a restore of etcd from a backup may have removed.
   * @returns comparisons that hold while all rows exist; undefined if a comparison has failed
   */
  async #write(generation: string, rows: readonly ListRow[], condition: object) {
    const { client, keys } = this.#list;
    const rowsPrefix = keys.rowsOf(generation);
    let compare = [condition];
    for (let written = 0; written < rows.length; ) {
      const waiting = rows.slice(written, written + MAX_TRANSACTION_ROWS);
      const { success, lastKey } = this.#putFirst(generation, waiting);
      try {
        // Safe to repeat, because it writes the same rows.
        const answer = await client.txn({ compare, success }, { deadline: this.#list.deadline() });
        if (!answer.succeeded) return undefined;
      } catch (error) {
        // Deletes the rows written so far, because they may have filled etcd.
        void this.#delete(rowsPrefix, prefixEnd(rowsPrefix), [condition]);
        throw error;
      }
      written += success.length;
      compare = [condition, exists(lastKey)];
    }
    return compare;
  }

  /** The operations that put the first rows, as many as fit a transaction but at least one. */
  #putFirst(generation: string, rows: readonly ListRow[]) {
    const success: ReturnType<typeof put>[] = [];
    let lastKey = '';
    let length = 0;
    for (const row of rows) {
      const text = this.#rows.codec.encode(row);
      length += text.length;
      if (length > MAX_TRANSACTION_TEXT && success.length > 0) break;
      lastKey = this.#list.keys.row(generation, row.id);
      success.push(put(lastKey, text));
    }
    return { success, lastKey };
  }

  /**
   * Deletes the rows of the other generations while this one is current. Keeps generations with a
   * higher number, which may be in preparation. The next reset deletes leftover rows.
   */
  async #deleteOthers(generation: string): Promise<void> {
    const { keys } = this.#list;
    const rowsPrefix = keys.rowsOf(generation);
    const compare = [hasValue(keys.generation, generation)];
    await this.#delete(keys.rows, rowsPrefix, compare);
    await this.#delete(
      prefixEnd(rowsPrefix),
      `${keys.rows}${afterGeneration(generation)}`,
      compare,
    );
  }

  /** Deletes unused rows page by page, until etcd fails or `compare` no longer holds. */
  async #delete(from: string, end: string, compare: readonly object[]): Promise<void> {
    try {
      for await (const page of this.#list.pages(from, end, { keys_only: true })) {
        const [first, last] = [page[0], page.at(-1)];
        if (first === undefined || last === undefined) continue;
        const success = [remove(range(first.key, `${last.key}\0`))];
        if (!(await this.#list.client.txn({ compare, success })).succeeded) return;
      }
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
    }
  }
}

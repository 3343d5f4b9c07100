import { clock } from '../../clock.ts';
import { EtcdError, InterruptedWriteError, StoreError, UnreadableError } from '../errors.ts';
import { exists, hasValue, isUnchanged, prefixEnd, put, range, remove } from '../etcd/json.ts';
import type { ReadIndex } from '../read/read-index.ts';
import type { ReplicaTable } from '../read/replica-table.ts';
import { NO_HEAD, nextHead, textOfHead } from '../stored/commit-head.ts';
import type { ListRow } from '../stored/list-table.ts';
import { newMeta, type ReplicaIdentity } from '../stored/meta.ts';
import { afterGeneration, nextGeneration, type StoredList } from '../stored/stored-list.ts';
import type { CommitWriter, UnsentTransaction } from './commit-writer.ts';
import { MAX_TRANSACTION_ROWS, MAX_TRANSACTION_TEXT } from './dry-run.ts';

/** How many rows a sweep deletes at once. */
const SWEPT_ROWS = 1_000;

/** The time limit of a step of a sweep, in milliseconds. */
const SWEEP_MS = 10_000;

/** How often to begin a reset again because another one came first. */
const MAX_TRIES = 10;

/** Makes all rows of a new generation, by ascending id, and says how many ids that assigns. */
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
    const id = crypto.randomUUID();
    // The limit may still be that of a former list, which was deleted.
    this.#rows.table.maxRows = identity.maxRows;
    const { rows, idsAssigned } = await makeRows();
    const compare = await this.#write(generation, rows, isUnchanged(keys.meta, 0));
    if (compare === undefined) return;
    const rest = { generation, idsAssigned, changes: 0 };
    const success = [
      put(keys.meta, newMeta(identity, id)),
      put(keys.generation, generation),
      put(keys.head, textOfHead(nextHead(NO_HEAD, this.#writer.name, 0, id, rest))),
    ];
    // It is safe to send this again: only the first one finds no `meta`.
    await client.txn({ compare, success }, { deadline: this.#list.deadline() });
    // Nobody waits for it: what it cannot delete is never shown.
    void this.#sweep(generation);
  }

  /**
   * Replaces all rows; ids start again. @throws as `Replica.reset` does
   * @param settle waits for the writes that had come before
   */
  async reset(
    readIndex: ReadIndex,
    makeRows: MakeRows,
    settle: () => Promise<void>,
  ): Promise<void> {
    const { follower } = readIndex;
    const { keys } = this.#list;
    let first: string | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await readIndex.wait();
      if (follower.agreed.misfit !== undefined) throw follower.agreed.misfit;
      const before = follower.head?.generation;
      if (before === undefined) continue;
      first ??= before;
      const generation = nextGeneration(before);
      const { rows, idsAssigned } = await makeRows();
      const isCurrent = hasValue(keys.generation, before);
      const compare = await this.#write(generation, rows, isCurrent);
      if (compare === undefined) continue;
      const head = { generation, idsAssigned, changes: rows.length };
      await settle();
      if (!(await this.#makeCurrent(readIndex, before, head, compare))) continue;
      // Nobody waits for it: what it cannot delete is never shown.
      void this.#sweep(generation);
      return;
    }
    if (follower.head?.generation !== first) throw new StoreError('other resets came first');
    throw new UnreadableError(keys.generation, 'does not name the generation of the list');
  }

  /** Makes a generation the current one; false if another was faster, or `compare` fails. */
  async #makeCurrent(
    { follower }: ReadIndex,
    before: string,
    next: UnsentTransaction['head'],
    compare: readonly object[],
  ): Promise<boolean> {
    const deadline = this.#list.deadline();
    for (;;) {
      const { head: base } = follower;
      const { current: meta } = follower.agreed;
      if (base?.generation !== before || meta === undefined) return false;
      try {
        const { isApplied, head } = await this.#writer.write({
          ...{ base, metaRevision: meta.revision, compare, deadline },
          operations: [put(this.#list.keys.generation, next.generation)],
          head: next,
        });
        // If applied, it has happened, even if this replica needs longer to show it.
        await follower.tryToReach(head, base, deadline);
        if (isApplied) return true;
        if (head.revision === base.revision) return false;
      } catch (error) {
        throw error instanceof StoreError ? error : new InterruptedWriteError(error);
      }
    }
  }

  /**
   * Writes the rows of a generation in parts that fit a transaction, each only if a condition holds
   * and the one before is there: etcd may be restored from a backup meanwhile.
   * @returns what holds while all are there; undefined if something does not
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
   * Deletes the rows of all other generations except later ones, which may be in preparation: step
   * by step, and only while the generation is current. The next sweep deletes what is left over.
   */
  async #sweep(generation: string): Promise<void> {
    const { keys } = this.#list;
    const own = keys.rowsOf(generation);
    const compare = [hasValue(keys.generation, generation)];
    await this.#delete(keys.rows, own, compare);
    await this.#delete(prefixEnd(own), `${keys.rows}${afterGeneration(generation)}`, compare);
  }

  /** Deletes rows that are never shown, step by step, as long as etcd can and `compare` holds. */
  async #delete(from: string, end: string, compare: readonly object[]): Promise<void> {
    const { client } = this.#list;
    try {
      // etcd goes through what is deleted as well: so each step begins where the last one ended.
      for (let [start, next] = [from, from]; ; start = next) {
        const limit = { deadline: clock.now() + SWEEP_MS };
        const body = { ...range(start, end), keys_only: true, limit: SWEPT_ROWS };
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

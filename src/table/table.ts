import type { Condition, NonEmpty } from './condition/condition.ts';
import type { Operators } from './condition/operators.ts';
import { EmptyConditionError, TableFullError } from './errors.ts';
import { Housekeeping, type Schedule } from './indexes/background-work.ts';
import { IndexSet } from './indexes/index-set.ts';
import type { Cursor } from './query/cursor.ts';
import type { SearchOptions } from './query/search-options.ts';
import { ReadView, type Where } from './read-view.ts';
import { typedRow } from './schema/casts.ts';
import type { Changes, ColumnName, Id, NewRow, Row, Schema } from './schema/column.ts';
import { layoutOf } from './schema/layout.ts';
import { changedRow, newRow } from './schema/row.ts';
import type { StoredRow } from './schema/stored-row.ts';
import { RowStore, rowAt } from './storage/row-store.ts';
import { type Change, type Commit, Followers } from './write/commit.ts';
import { callSynchronously, type Synchronous } from './write/synchronous.ts';
import { type Write, Writer } from './write/transaction.ts';

export type { Synchronous };

/** Settings of a table. */
export interface TableOptions {
  /** The most rows it may hold; no limit unless given. */
  readonly maxRows?: number;
  readonly maxBytes?: number;
  /** The first id, if not the start of the identity's range. */
  readonly firstId?: number | bigint;
  /**
   * Runs short tasks of housekeeping a little later. Unless given, timers do that, which do not keep the process
   * alive.
   */
  readonly schedule?: Schedule;
}

/** How much a table holds. Bytes are counted from what is stored, not measured. */
export interface Stats {
  readonly rows: number;
  readonly bytes: {
    /** Rows with their values, and the folded texts kept beside them. */
    readonly rows: number;
    /** Each index, by its column. */
    readonly indexes: Readonly<Record<string, number>>;
    readonly total: number;
  };
}

/** What can be read of one moment of a table. */
export type Snapshot<S extends Schema> = ReadView<S>;

/** Conditions for `remove`, of which there must be at least one. */
export type NonEmptyWhere<S extends Schema> = ((columns: Operators<S>) => NonEmpty) | NonEmpty;

/** A table in memory: typed columns, generated ids, indexes, transactions, snapshots. */
export class Table<S extends Schema> extends ReadView<S> {
  readonly #store: RowStore;
  readonly #indexes: IndexSet;
  readonly #housekeeping: Housekeeping;
  readonly #maxRows: number;
  readonly #followers = new Followers<S>();
  readonly #writer: Writer;
  #version = 0;

  /** @throws SchemaError when the schema or the first id does not make sense */
  constructor(schema: S, options: TableOptions = {}) {
    const layout = layoutOf(schema, options.firstId);
    const store = new RowStore(layout.foldedColumns);
    const indexes = new IndexSet(layout, store);
    super(layout, store, () => indexes);
    this.#store = store;
    this.#indexes = indexes;
    this.#housekeeping = new Housekeeping(indexes, options.schedule);
    this.#writer = new Writer(store, indexes, (writes) => this.#commit(writes));
    this.#maxRows = options.maxRows ?? Number.POSITIVE_INFINITY;
  }

  /** The number of the last commit. */
  get version(): number {
    return this.#version;
  }

  /**
   * Stores a new row under the next id.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxRows` is reached
   * @throws IdsExhaustedError when the last id has been given
   */
  insert(values: NewRow<S>): Row<S> {
    if (this.size >= this.#maxRows) throw new TableFullError(this.#maxRows);
    const id = this.layout.identity.idAt(this.#writer.nextSlot);
    const row = newRow(this.layout, id, values);
    this.#writer.transaction(() => this.#writer.append(row));
    return typedRow<S>(row);
  }

  /**
   * Changes columns of a row.
   *
   * @returns the new row; undefined when there is none with that id
   * @throws ColumnError when a value does not fit its column
   */
  update(id: Id<S>, changes: Changes<S>): Row<S> | undefined {
    const slot = this.layout.identity.slotOf(id);
    const before = rowAt(this.#store, slot);
    if (!before) return undefined;
    const after = changedRow(this.layout, before, changes);
    this.#writer.transaction(() => this.#writer.put(slot, after));
    return typedRow<S>(after);
  }

  /** Deletes the row with an id; false when there is none. */
  delete(id: Id<S>): boolean {
    const slot = this.layout.identity.slotOf(id);
    if (!rowAt(this.#store, slot)) return false;
    this.#writer.transaction(() => this.#writer.put(slot, undefined));
    return true;
  }

  /**
   * Deletes the rows that match at least one condition.
   *
   * @returns how many
   * @throws EmptyConditionError when there is no condition
   */
  remove(where: NonEmptyWhere<S>): number {
    const conditions: readonly Condition[] = this.conditionsOf(where);
    if (conditions.length === 0) throw new EmptyConditionError();
    return this.#deleteAll(conditions);
  }

  /** Deletes every row, and returns how many there were. Ids go on from where they are. */
  removeAll(): number {
    return this.#deleteAll([]);
  }

  /**
   * Does several things as one: all of it is committed when the callback returns, or nothing when
   * it throws. A transaction within another one is a part of it, which can be undone by itself.
   *
   * @throws AsyncTransactionError when the callback is asynchronous; nothing is committed then
   */
  transaction<T extends Synchronous>(work: (table: this) => T): T {
    return this.#writer.transaction(() => callSynchronously(work, this));
  }

  /** The table as it is now, whatever is written later. */
  snapshot(): Snapshot<S> {
    const rows = this.#store.snapshot();
    const indexes = () => (this.#store.isCurrent(rows) ? this.#indexes : undefined);
    return new ReadView<S>(this.layout, rows, indexes, this.operators);
  }

  override cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    return this.snapshot().cursor(where, options);
  }

  /**
   * Follows the table: after each commit, in order, the callback gets what was put and deleted.
   *
   * @returns ends it
   */
  onCommit(follower: (commit: Commit<S>) => void): () => void {
    return this.#followers.add(follower);
  }

  /** How many rows there are, and what memory they and the indexes take. */
  stats(): Stats {
    const rows = this.#store.bytes;
    const indexes = this.#indexes.bytes;
    const total = Object.values(indexes).reduce((sum, bytes) => sum + bytes, rows);
    return { rows: this.size, bytes: { rows, indexes, total } };
  }

  #deleteAll(conditions: readonly Condition[]): number {
    const doomed: StoredRow[] = [];
    for (const batch of this.matching(conditions)) doomed.push(...batch);
    const { identity } = this.layout;
    this.#writer.transaction(() => {
      for (const row of doomed) this.#writer.put(identity.slotOf(row[identity.column]), undefined);
    });
    return doomed.length;
  }

  #commit(writes: readonly Write[]): void {
    this.#version++;
    if (this.#followers.any) {
      this.#followers.deliver({ number: this.#version, changes: writes.map(changeOf<S>) });
    }
    this.#housekeeping.request();
  }
}

function changeOf<S extends Schema>({ before, after }: Write): Change<S> {
  const old = before && typedRow<S>(before);
  if (after) return { put: typedRow<S>(after), before: old };
  if (old) return { deleted: old };
  throw new TypeError('a write changes something');
}

import type { Condition, NonEmpty } from './condition/condition.ts';
import type { Operators } from './condition/operators.ts';
import { EmptyConditionError, ReplacementError } from './errors.ts';
import { Housekeeping, type Schedule } from './indexes/background-work.ts';
import type { Cursor } from './query/cursor.ts';
import type { Clock } from './query/pace.ts';
import type { SearchOptions } from './query/search-options.ts';
import { ReadView, type Where } from './read-view.ts';
import { storedRow, typedRow } from './schema/casts.ts';
import type { Changes, ColumnName, Id, NewRow, Row, Schema } from './schema/column.ts';
import { layoutOf } from './schema/layout.ts';
import { changedRow, newRow } from './schema/row.ts';
import type { StoredRow } from './schema/stored-row.ts';
import { rowAt } from './storage/row-store.ts';
import { type Change, type Commit, CommitListeners } from './write/commit.ts';
import { Generation } from './write/generation.ts';
import { Replacement } from './write/replacement.ts';
import { callSynchronously, type Synchronous } from './write/synchronous.ts';
import { Transactions, type Write } from './write/transactions.ts';

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
  /** What cuts work into steps; the clock of the process unless given. */
  readonly clock?: Clock;
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

/** A row that another table has put under an id; undefined where it has deleted it. */
export interface ReplayedRow<S extends Schema> {
  readonly id: Id<S>;
  readonly row: Row<S> | undefined;
}

/** What can be read of one moment of a table. */
export type Snapshot<S extends Schema> = ReadView<S>;

/** Conditions for `remove`, of which there must be at least one. */
export type NonEmptyWhere<S extends Schema> = ((columns: Operators<S>) => NonEmpty) | NonEmpty;

/** A table in memory: typed columns, generated ids, indexes, transactions, snapshots. */
export class Table<S extends Schema> extends ReadView<S> {
  readonly #current: { generation: Generation };
  #maxRows: number;
  readonly #transactions: Transactions;
  readonly #housekeeping: Housekeeping;
  readonly #listeners = new CommitListeners<S>();
  #version = 0;

  /** @throws SchemaError when the schema or the first id does not make sense */
  constructor(schema: S, options: TableOptions = {}) {
    const layout = layoutOf(schema, options.firstId);
    const maxRows = options.maxRows ?? Number.POSITIVE_INFINITY;
    const current = { generation: new Generation(layout, maxRows) };
    super(layout, () => current.generation, options.clock);
    this.#current = current;
    this.#maxRows = maxRows;
    this.#transactions = new Transactions(current.generation, (writes, number) =>
      this.#commit(writes, number),
    );
    const work = {
      get untidy() {
        return current.generation.indexes.untidy;
      },
      get pressing() {
        return current.generation.indexes.pressing;
      },
      tidy: () => current.generation.indexes.tidy(),
    };
    this.#housekeeping = new Housekeeping(work, options.schedule);
  }

  /** How many commits there have been. */
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
    const row = this.#current.generation.newRow(values);
    this.#transactions.run(() => this.#transactions.append(row));
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
    const before = rowAt(this.#current.generation.rows, slot);
    if (!before) return undefined;
    const after = changedRow(this.layout, before, changes);
    this.#transactions.run(() => this.#transactions.put(slot, after));
    return typedRow<S>(after);
  }

  /** Deletes the row with an id; false when there is none. */
  delete(id: Id<S>): boolean {
    const slot = this.layout.identity.slotOf(id);
    if (!rowAt(this.#current.generation.rows, slot)) return false;
    this.#transactions.run(() => this.#transactions.put(slot, undefined));
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
    return this.#transactions.run(() => callSynchronously(work, this));
  }

  /**
   * Runs work as a transaction that is undone, whatever becomes of it: what it would have written is
   * for another table to write, or for this one later ({@link replay}).
   *
   * @param work can ask what it has written, after so many writes
   */
  rehearse<T extends Synchronous>(
    work: (writtenAfter: (count: number) => readonly Change<S>[]) => T,
  ): T {
    const written = (count: number) => this.#transactions.writtenAfter(count).map(changeOf<S>);
    return this.#transactions.rehearse(() => callSynchronously(work, written));
  }

  /**
   * Writes what another table has written, whatever the limits, as one commit.
   *
   * @param idsGiven how many ids have been given then
   * @param number what the commit is to be known by
   */
  replay(rows: readonly ReplayedRow<S>[], idsGiven: number, number: number): void {
    this.#transactions.run(() => {
      for (const { id, row } of rows) {
        this.#transactions.put(this.layout.identity.slotOf(id), row && storedRow<S>(row));
      }
      this.#current.generation.nextSlot = idsGiven;
    }, number);
  }

  /**
   * The row that another table has stored.
   *
   * @throws ColumnError when a value does not fit its column
   */
  rowOf(id: Id<S>, values: object): Row<S> {
    return typedRow<S>(newRow(this.layout, id, values));
  }

  /** How many ids have been given. */
  get idsGiven(): number {
    return this.#current.generation.nextSlot;
  }

  /** The most rows that it may hold, from now on. */
  set maxRows(maxRows: number) {
    this.#maxRows = maxRows;
    this.#current.generation.maxRows = maxRows;
  }

  /** Begins rows that are to take the place of all others, with ids from the first one on. */
  replacement(): Replacement<S> {
    const generation = new Generation(this.layout, this.#maxRows);
    return new Replacement<S>(generation, (filled, number) => this.#replace(filled, number));
  }

  /** The table as it is now, whatever is written later. */
  snapshot(): Snapshot<S> {
    const { generation } = this.#current;
    const rows = generation.rows.snapshot();
    const source = () => ({
      rows,
      indexes: generation.rows.isCurrent(rows) ? generation.indexes : undefined,
    });
    return new ReadView<S>(this.layout, source, this.clock, this.operators);
  }

  override cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    return this.snapshot().cursor(where, options);
  }

  /**
   * Calls back after each commit, in order, with what was put and deleted.
   *
   * @returns ends it
   */
  onCommit(listener: (commit: Commit<S>) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** How many rows there are, and what memory they and the indexes take. */
  stats(): Stats {
    const { generation } = this.#current;
    const rows = generation.rows.bytes;
    const indexes = generation.indexes.bytes;
    const total = Object.values(indexes).reduce((sum, bytes) => sum + bytes, rows);
    return { rows: this.size, bytes: { rows, indexes, total } };
  }

  #deleteAll(conditions: readonly Condition[]): number {
    const doomed: StoredRow[] = [];
    for (const batch of this.matching(conditions)) doomed.push(...batch);
    const { identity } = this.layout;
    this.#transactions.run(() => {
      for (const row of doomed)
        this.#transactions.put(identity.slotOf(row[identity.column]), undefined);
    });
    return doomed.length;
  }

  #commit(writes: readonly Write[], number?: number): void {
    this.#deliver(false, this.#listeners.any ? writes.map(changeOf<S>) : [], number);
  }

  #replace(generation: Generation, number?: number): void {
    if (this.#transactions.isOpen) {
      throw new ReplacementError('a replacement cannot be committed within a transaction');
    }
    this.#current.generation = generation;
    this.#transactions.switchTo(generation);
    this.#deliver(true, [], number);
  }

  #deliver(isReplacement: boolean, changes: readonly Change<S>[], number?: number): void {
    this.#version++;
    this.#listeners.deliver({ number: number ?? this.#version, changes, isReplacement });
    this.#housekeeping.request();
  }
}

function changeOf<S extends Schema>({ before, after }: Write): Change<S> {
  const old = before && typedRow<S>(before);
  if (after) return { put: typedRow<S>(after), before: old };
  if (old) return { deleted: old };
  throw new TypeError('a write changes something');
}

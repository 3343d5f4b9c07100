import { type Condition, checkConditions, columnsOf } from './condition/condition.ts';
import { CommitError, ConditionError } from './errors.ts';
import { compile } from './query/criteria.ts';
import { Cursor } from './query/cursor.ts';
import { Pace, processTime, type TimeSource } from './query/pace.ts';
import { checkOptions, type SearchOptions } from './query/search-options.ts';
import { rowsCollectedFor } from './query/sort.ts';
import type {
  Changes,
  ColumnName,
  Id,
  NewRow,
  Row,
  RowChanges,
  Schema,
  StoredRow,
} from './schema/column.ts';
import {
  asRow,
  changedRow,
  newRow,
  type ResolvedSchema,
  type RowChange,
  resolveSchema,
  rowChange,
} from './schema/resolved-schema.ts';
import { commitNumberOf } from './state/entry.ts';
import { find } from './state/state.ts';
import type { FoundRow, NonEmptyWhere, TableOptions, Where } from './table-types.ts';
import { BulkWrite } from './write/bulk-write.ts';
import type { Commit, CommittedRow } from './write/commit.ts';
import { type Synchronous, Transactions } from './write/transactions.ts';

/** An in-memory table: typed columns, generated ids, transactions, cursors. */
export class Table<S extends Schema> {
  readonly #columns: S;
  readonly #schema: ResolvedSchema;
  readonly #clock: TimeSource;
  readonly #transactions: Transactions<S>;

  /** @throws SchemaError if the schema is not valid */
  constructor(schema: S, options: TableOptions = {}) {
    const { maxRows = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options;
    this.#columns = schema;
    this.#schema = resolveSchema(schema);
    this.#clock = options.clock ?? processTime;
    this.#transactions = new Transactions<S>(this.#schema, { maxRows, maxBytes });
  }

  /** The number of rows. */
  get size(): number {
    return this.#transactions.state.size;
  }

  /** How many rows a sorted search collects at a time to find the first ones that are wanted. */
  rowsCollectedFor(wanted: number): number {
    return rowsCollectedFor(wanted, this.size);
  }

  /**
   * Returns the matching rows, in ascending order of id unless the options specify another order.
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    const cursor = this.cursor(where, options);
    const rows: Row<S>[] = [];
    for (let step = cursor.next(); !step.done; step = cursor.next()) {
      for (const row of step.value ?? []) rows.push(row);
    }
    return rows;
  }

  /** Returns the rows of `search` as they are now, in steps. @throws ConditionError */
  cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    const schema = this.#schema;
    const search = {
      schema,
      state: this.#transactions.state,
      criteria: compile(schema, this.#conditionsOf(where)),
      options: checkOptions(schema, options),
      pace: new Pace(this.#clock),
    };
    return new Cursor<S>(search);
  }

  /** The number of the last commit. In a transaction that has written, the number of its commit. */
  get lastCommit(): number {
    return this.#transactions.lastCommit;
  }

  /**
   * Inserts a row with the next id, or with a later one, after which the ids continue.
   * @throws ColumnError when a value does not fit its column, or the id is before the next one
   * @throws TableFullError when `maxRows` or `maxBytes` is reached
   * @throws IdsExhaustedError when the last id has been assigned
   */
  insert(values: NewRow<S>, id?: Id<S>): Row<S> {
    const { identity } = this.#schema;
    const { nextId } = this.#transactions.state;
    const next = id === undefined ? nextId : identity.check(id, nextId);
    const row = this.#transactions.rowFor(values, next);
    this.#transactions.commitRow(next, row, identity.after(next));
    return asRow<S>(row);
  }

  /** Returns the row with the id and the number of its commit; undefined if there is none. */
  find(id: Id<S>): FoundRow<S> | undefined {
    const entry = find(this.#transactions.state, id);
    if (entry === undefined) return undefined;
    return { row: asRow<S>(entry.row), commit: commitNumberOf(entry), bytes: entry.bytes };
  }

  /**
   * Updates columns of a row.
   * @returns the new row; undefined if no row has the id
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxBytes` is reached, unless the row does not grow
   */
  update(id: Id<S>, changes: Changes<S>): Row<S> | undefined {
    const found = find(this.#transactions.state, id);
    if (!found) return undefined;
    const row = changedRow(this.#schema, found.row, changes);
    this.#transactions.commitRow(found.id, row);
    return asRow<S>(row);
  }

  /** Deletes the row with the id. Returns false if there is none. */
  delete(id: Id<S>): boolean {
    const found = find(this.#transactions.state, id);
    if (found) this.#transactions.commitRow(found.id, undefined);
    return found !== undefined;
  }

  /**
   * Deletes the rows that match all of the conditions, and returns how many there were.
   * @throws ConditionError when no condition is given
   */
  remove(where: NonEmptyWhere<S>): number {
    return this.removal(where).commit();
  }

  /**
   * Begins to {@link remove} rows in steps. The commit deletes them. To abandon it, close it.
   * @throws ConditionError as {@link remove} does
   */
  removal(where: NonEmptyWhere<S>): BulkWrite {
    return this.#bulkWrite(this.#selection(where));
  }

  /**
   * Updates columns of the rows that match all of the conditions. Rows that do not differ after the
   * change are counted, but not written.
   * @param changes those of all rows, or a function that returns those of a row. An error that it throws
   *   is that of the write
   * @param also changes of those rows that the others change
   * @returns the number of matching rows
   * @throws ConditionError as {@link remove} does
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxBytes` is reached, unless rows do not grow
   */
  modify(where: NonEmptyWhere<S>, changes: RowChanges<S>, also?: Changes<S>): number {
    return this.modification(where, changes, also).commit();
  }

  /**
   * Begins to {@link modify} rows in steps: `find` prepares the changed rows, and `commit`
   * stores them. @throws ConditionError, ColumnError as {@link modify} does
   */
  modification(where: NonEmptyWhere<S>, changes: RowChanges<S>, also?: Changes<S>): BulkWrite {
    const selection = this.#selection(where);
    const changesOf =
      typeof changes === 'function' ? (row: StoredRow) => changes(asRow<S>(row)) : changes;
    const isSlow = typeof changes === 'function';
    return this.#bulkWrite(selection, rowChange(this.#schema, changesOf, also), isSlow);
  }

  /**
   * Runs a callback as a transaction: commits all its writes if it returns, takes them back if it
   * throws. A nested transaction is part of the outer one, but can fail on its own.
   * @param number the number of its commit, unless it is nested; by default, the next one
   */
  transaction<T extends Synchronous>(work: (table: this) => T, number?: number): T {
    return this.#transactions.run(() => work(this), number);
  }

  /**
   * Makes a table with the same rows, limits and last commit. Later writes to one do not change the
   * other. It takes no time and no memory, whatever the size, because states never change.
   */
  fork(): Table<S> {
    const { state, committed, limits } = this.#transactions;
    const fork = new Table(this.#columns, { ...limits, clock: this.#clock });
    fork.#transactions.state = state;
    fork.#transactions.committed = committed;
    return fork;
  }

  /** Commits a bulk write of the table of which this is a fork. See {@link BulkWrite.commit}. */
  commit(write: BulkWrite): number {
    return write.commit(this.#transactions);
  }

  /**
   * Repeats a commit that was made elsewhere, such as on a fork in another process. The limits of
   * this table do not matter.
   * @param rows the rows that the commit wrote. None is put if one of them is refused
   * @param idsAssigned the number of ids assigned there
   * @param number the number of the commit
   * @throws ColumnError when a value does not fit its column, or the id of a row was not assigned
   * @throws CommitError within a transaction
   */
  replay(rows: Iterable<CommittedRow<S>>, idsAssigned: bigint, number: number): void {
    const transactions = this.#transactions;
    const schema = this.#schema;
    const { identity } = schema;
    if (transactions.depth > 0) throw new CommitError('a transaction is running');
    const last = identity.lastOf(idsAssigned);
    transactions.run(() => {
      for (const { id, values, commit } of rows) {
        const checked = identity.check(id, identity.first, values ? last : undefined);
        transactions.setRow(checked, values && newRow(schema, checked, values), commit);
      }
      transactions.state = { ...transactions.state, nextId: identity.after(last) };
    }, number);
    // Set even if this commit changed no row here.
    transactions.committed = number;
  }

  /** The number of ids assigned so far, including skipped ids. */
  get idsAssigned(): bigint {
    return this.#schema.identity.countBefore(this.#transactions.state.nextId);
  }

  /** The maximum memory of the rows, in bytes. Rows that exceed a new one stay. */
  get maxBytes(): number {
    return this.#transactions.limits.maxBytes;
  }

  set maxBytes(maxBytes: number) {
    this.#transactions.limits.maxBytes = maxBytes;
  }

  /** Calls the listener after each commit. It must not write. */
  onCommit(listener: (commit: Commit<S>) => void): void {
    this.#transactions.listeners.push(listener);
  }

  /** The memory of the rows, in bytes: computed, not measured. */
  get bytes(): number {
    return this.#transactions.state.bytes;
  }

  #selection(where: NonEmptyWhere<S>): readonly Condition[] {
    const conditions = this.#conditionsOf(where);
    if (conditions.length > 0) return conditions;
    const { column, first } = this.#schema.identity;
    throw new ConditionError(`a condition is required; every row has ${column}.gte(${first})`);
  }

  #bulkWrite(conditions: readonly Condition[], change?: RowChange, isSlow?: boolean): BulkWrite {
    return new BulkWrite(this.#transactions, conditions, new Pace(this.#clock), change, isSlow);
  }

  #conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(columnsOf<S>(this.#schema)) : where;
    checkConditions(this.#schema.columns, conditions);
    return conditions;
  }
}

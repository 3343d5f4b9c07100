import type { Condition } from './condition/condition.ts';
import { CommitError, ConditionError, UncommittedError } from './errors.ts';
import { Queries } from './queries.ts';
import { Pace, processTime } from './query/pace.ts';
import type { Changes, Id, NewRow, Row, Schema } from './schema/column.ts';
import {
  asRow,
  asStoredRow,
  changedRow,
  newRow,
  type RowChange,
  resolveSchema,
  rowChange,
} from './schema/resolved-schema.ts';
import type { FoundRow, NonEmptyWhere, Stats, TableOptions } from './table-types.ts';
import { BulkWrite } from './write/bulk-write.ts';
import type { Change, Commit, Commits, ReplayedRow } from './write/commit.ts';
import { Replacement } from './write/replacement.ts';
import { TableData } from './write/table-data.ts';
import { type Synchronous, Transactions } from './write/transactions.ts';

/** An in-memory table: typed columns, generated ids, indexes, transactions, cursors. */
export class Table<S extends Schema> extends Queries<S> {
  readonly #transactions: Transactions<S>;
  readonly #commits: Commits<S>;

  /** @throws SchemaError if the schema is not valid */
  constructor(schema: S, options: TableOptions = {}) {
    const { maxRows = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options;
    super(
      new TableData(resolveSchema(schema), { maxRows, maxBytes }),
      options.clock ?? processTime,
    );
    this.#transactions = new Transactions<S>(this.data);
    this.#commits = this.#transactions.commits;
  }

  /** The number of the last commit. @throws UncommittedError in a transaction that has written */
  get version(): number {
    if (this.#transactions.hasWritten) throw new UncommittedError();
    return this.#commits.version;
  }

  /** The number of commits so far. */
  get commits(): number {
    return this.#commits.count;
  }

  /**
   * Inserts a row with the next id.
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxRows` or `maxBytes` is reached
   * @throws IdsExhaustedError when the last id has been assigned
   */
  insert(values: NewRow<S>): Row<S> {
    const { data } = this;
    const { nextId } = data;
    const row = data.newRow(values);
    this.#transactions.write(data.find(nextId), row, data.leaves.schema.identity.after(nextId));
    return asRow<S>(row);
  }

  /** Returns the row with the id and the number of its commit; undefined if there is none. */
  find(id: Id<S>): FoundRow<S> | undefined {
    const { row, revision } = this.data.find(id);
    return row && { row: asRow<S>(row), revision };
  }

  /**
   * Updates columns of a row.
   * @returns the new row; undefined if no row has the id
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxBytes` is reached, unless the row does not grow
   */
  update(id: Id<S>, changes: Changes<S>): Row<S> | undefined {
    const place = this.data.find(id);
    if (!place.row) return undefined;
    const row = changedRow(this.schema, place.row, changes);
    this.#transactions.write(place, row);
    return asRow<S>(row);
  }

  /** Deletes the row with the id. Returns false if there is none. */
  delete(id: Id<S>): boolean {
    const place = this.data.find(id);
    if (place.row) this.#transactions.write(place, undefined);
    return place.row !== undefined;
  }

  /**
   * Deletes the rows that match all of the conditions, and returns how many there were.
   * @throws ConditionError when no condition is given
   */
  remove(where: NonEmptyWhere<S>): number {
    return this.#writeNow(this.#selection(where, 'removeAll'));
  }

  /** Deletes every row, and returns how many there were. Ids are not reset. */
  removeAll(): number {
    return this.#writeNow([]);
  }

  /**
   * Begins to {@link remove} rows in steps. The commit deletes them. To abandon it, close it.
   * @throws ConditionError as {@link remove} does
   */
  removal(where: NonEmptyWhere<S>): BulkWrite {
    return this.#bulkWrite(this.#selection(where, 'removeAll'));
  }

  /**
   * Updates columns of the rows that match all of the conditions. Rows that do not differ after the
   * change are counted, but not written.
   * @returns the number of matching rows
   * @throws ConditionError as {@link remove} does
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxBytes` is reached, unless rows do not grow
   */
  modify(where: NonEmptyWhere<S>, changes: Changes<S>): number {
    const selection = this.#selection(where, 'modificationOfAll');
    return this.#writeNow(selection, rowChange(this.schema, changes));
  }

  /**
   * Begins to {@link modify} rows in steps: `find` prepares the changed rows, and `commit`
   * stores them. @throws ConditionError, ColumnError as {@link modify} does
   */
  modification(where: NonEmptyWhere<S>, changes: Changes<S>): BulkWrite {
    const selection = this.#selection(where, 'modificationOfAll');
    return this.#bulkWrite(selection, rowChange(this.schema, changes));
  }

  /** Begins to modify every row in steps, as {@link modification} does. */
  modificationOfAll(changes: Changes<S>): BulkWrite {
    return this.#bulkWrite([], rowChange(this.schema, changes));
  }

  /**
   * Runs a callback as a transaction: commits all its writes if it returns, rolls them back if it
   * throws. A nested transaction is part of the outer one, but can be rolled back on its own.
   */
  transaction<T extends Synchronous>(work: (table: this) => T): T {
    return this.#transactions.run(() => work(this));
  }

  /**
   * Runs a transaction and always rolls it back. Its callback receives a function that returns the
   * changes so far, except the first `count`. {@link replay} applies them to this or another table.
   */
  dryRun<T extends Synchronous>(
    work: (writtenAfter: (count: number) => readonly Change<S>[]) => T,
  ): T {
    const written = (count: number) => this.#transactions.writtenAfter(count);
    return this.#transactions.run(() => work(written), undefined, true);
  }

  /**
   * Applies the writes of another table as one commit, regardless of limits.
   * @param idsAssigned the `idsAssigned` of the other table after these writes
   * @param number the number of the commit
   */
  replay(rows: readonly ReplayedRow<S>[], idsAssigned: bigint, number: number): void {
    this.#transactions.run(() => {
      for (const { id, row } of rows) {
        this.#transactions.put(this.data.find(id), row && asStoredRow<S>(row));
      }
      this.data.idsAssigned = idsAssigned;
    }, number);
    // Set even if this commit changed no row here.
    this.#commits.version = number;
  }

  /** Makes a row of this schema from the values of a stored row. @throws ColumnError */
  rowOf(id: Id<S>, values: object): Row<S> {
    return asRow<S>(newRow(this.schema, this.schema.identity.check(id), values));
  }

  /** The number of ids assigned so far, including skipped ids. */
  get idsAssigned(): bigint {
    return this.data.idsAssigned;
  }

  /** Sets the maximum number of rows. */
  set maxRows(maxRows: number) {
    this.data.limits.maxRows = maxRows;
  }

  /** Begins a replacement of all rows. Its ids start again at the first one. */
  replacement(): Replacement<S> {
    const data = new TableData(this.schema, this.data.limits);
    return new Replacement<S>(data, (filled, number) => this.#replace(filled, number));
  }

  /** Calls the listener after each commit. It must not write. */
  onCommit(listener: (commit: Commit<S>) => void): void {
    this.#commits.listeners.push(listener);
  }

  /** Returns the number of rows and the memory they take. */
  stats(): Stats {
    const { snapshotBytes: snapshots, bytes: total } = this;
    const indexes = this.data.leaves.indexBytes;
    const bytes = { rows: total - snapshots - indexes, indexes, snapshots, total };
    return { rows: this.size, bytes };
  }

  /** The memory of the table, in bytes: computed, not measured. */
  get bytes(): number {
    return this.data.leaves.bytes;
  }

  /** Bytes of replaced leaves that open cursors retain. */
  get snapshotBytes(): number {
    return this.data.leaves.retainedBytes;
  }

  #selection(where: NonEmptyWhere<S>, methodForAll: string): readonly Condition[] {
    const conditions = this.conditionsOf(where);
    if (conditions.length > 0) return conditions;
    const problem = `a condition is required; to write every row, call ${methodForAll}`;
    throw new ConditionError(problem);
  }

  #bulkWrite(conditions: readonly Condition[], change?: RowChange): BulkWrite {
    return new BulkWrite(this.#transactions, conditions, new Pace(this.clock), change);
  }

  #writeNow(conditions: readonly Condition[], change?: RowChange): number {
    return BulkWrite.now(this.#transactions, conditions, change);
  }

  #replace(data: TableData, number = this.#commits.version + 1): void {
    const problem = 'a replacement cannot be committed within a transaction';
    if (this.#transactions.depth > 0) throw new CommitError(problem);
    this.data.replaceBy(data, number);
    this.#commits.version = number;
    this.#commits.count++;
    this.#commits.deliver(number, () => [], true);
  }
}

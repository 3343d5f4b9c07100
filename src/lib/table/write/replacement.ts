import { CommitError } from '../errors.ts';
import type { Id, NewRow, Row, Schema } from '../schema/column.ts';
import { asRow, newRow } from '../schema/resolved-schema.ts';
import type { TableData } from './table-data.ts';
import { Transactions } from './transactions.ts';

/**
 * Rows that will replace all rows of a table at once, with ids from the first one on. To abandon a
 * replacement, drop it. Until its commit, table and replacement may take `maxBytes` each.
 */
export class Replacement<S extends Schema> {
  #data: TableData | undefined;
  /** Undoes the insert of a row that does not fit. */
  readonly #transactions: Transactions<S>;
  readonly #commit: (data: TableData, number?: number) => void;

  /** @param commit makes the table switch to the data */
  constructor(data: TableData, commit: (data: TableData, number?: number) => void) {
    this.#data = data;
    this.#transactions = new Transactions<S>(data);
    this.#commit = commit;
  }

  /**
   * Adds a row with the next id, or with a later `id`, after which the ids continue.
   * @throws ColumnError when a value does not fit its column, or the id is before the next one
   * @throws TableFullError when the replacement alone exceeds the limits of the table
   * @throws IdsExhaustedError when the last id has been assigned
   * @throws CommitError after the commit
   */
  insert(values: NewRow<S>, id?: Id<S>): Row<S> {
    const data = this.#requireData();
    const { identity } = data.leaves.schema;
    const next = id === undefined ? data.nextId : identity.check(id, data.nextId);
    const row = data.newRow(values, next);
    this.#transactions.write(data.find(next), row, identity.after(next), 0);
    return asRow<S>(row);
  }

  /**
   * Puts a row of another table with the id that it has there, regardless of limits.
   * @param revision the number of the commit that wrote it; by default, this replacement
   * @throws ColumnError when a value does not fit its column, or the id is before the next one
   * @throws CommitError after the commit
   */
  put(id: Id<S>, values: object, revision = 0): void {
    const data = this.#requireData();
    const { schema } = data.leaves;
    const next = schema.identity.check(id, data.nextId);
    data.leaves.put(data.find(next), newRow(schema, next, values), revision);
    data.nextId = schema.identity.after(next);
  }

  /** The number of ids assigned, as in `Table.idsAssigned`. */
  get idsAssigned(): bigint {
    return this.#requireData().idsAssigned;
  }

  /** @throws CommitError after the commit */
  set idsAssigned(count: bigint) {
    this.#requireData().idsAssigned = count;
  }

  /**
   * Replaces all rows of the table in one commit, including rows written meanwhile.
   * @param number the number of the commit; by default, the next one of the table
   * @throws CommitError within a transaction, and when already committed
   */
  commit(number?: number): void {
    this.#commit(this.#requireData(), number);
    this.#data = undefined;
  }

  #requireData(): TableData {
    if (this.#data) return this.#data;
    throw new CommitError('the replacement has been committed');
  }
}

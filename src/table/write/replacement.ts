import { ReplacementError, TableFullError } from '../errors.ts';
import { asRow } from '../schema/casts.ts';
import type { Id, NewRow, Row, Schema } from '../schema/column.ts';
import type { Limits } from './limits.ts';
import type { TableData } from './table-data.ts';

/**
 * Rows that are to take the place of all rows of a table, at once and with ids from the first one
 * on. It is filled beside the table, bit by bit if need be; until it is committed, nobody sees it,
 * and one that is given up is garbage like any other. Since the table stays readable meanwhile,
 * both together may take twice the bytes that a table may take.
 */
export class Replacement<S extends Schema> {
  #data: TableData | undefined;
  readonly #limits: Limits;
  readonly #commit: (data: TableData, number?: number) => void;

  /** @param commit makes the data that of the table */
  constructor(data: TableData, limits: Limits, commit: (data: TableData, number?: number) => void) {
    this.#data = data;
    this.#limits = limits;
    this.#commit = commit;
  }

  /**
   * Adds a row under the next id.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when the replacement alone would be more than the table may hold
   * @throws IdsExhaustedError when the last id has been given
   * @throws ReplacementError after the commit
   */
  insert(values: NewRow<S>): Row<S> {
    const data = this.#open();
    const row = data.newRow(values);
    data.replace(data.nextSlot++, undefined, row);
    const { maxBytes } = this.#limits;
    if (data.bytes > maxBytes) throw new TableFullError('bytes', maxBytes);
    return asRow<S>(row);
  }

  /**
   * Puts a row that another table has made under the id that it has there, whatever the limits.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws ReplacementError after the commit
   */
  put(id: Id<S>, values: object): void {
    this.#open().put(id, values);
  }

  /** How many ids have been given. */
  set idsGiven(count: number) {
    this.#open().nextSlot = count;
  }

  /**
   * Puts these rows in the place of all others: one commit. What was written to the table since the
   * replacement was begun is replaced like everything before.
   *
   * @param number what the commit is to be known by, if that is not the table's own count
   * @throws ReplacementError within a transaction, and when it was committed before
   */
  commit(number?: number): void {
    this.#commit(this.#open(), number);
    this.#data = undefined;
  }

  #open(): TableData {
    if (this.#data) return this.#data;
    throw new ReplacementError('the replacement has been committed');
  }
}

import { checkConditions } from './check-condition.ts';
import type { ColumnName, Id, Row, Schema } from './column.ts';
import { compile } from './compile.ts';
import type { Condition } from './condition.ts';
import { Cursor } from './cursor.ts';
import { matches, type Query, windowed } from './execute.ts';
import type { Layout, StoredRow } from './layout.ts';
import type { Operators } from './operators.ts';
import { type SearchOptions, type Window, windowOf } from './options.ts';
import { type Rows, rowAt } from './pages.ts';
import { FULL_SCAN } from './plan.ts';
import { typedOperators, typedRow, typedRows } from './typed.ts';

/**
 * Conditions that must all hold: as a callback that builds them from the columns, checked by the
 * compiler, or as data, checked at run time.
 */
export type Where<S extends Schema> =
  | ((columns: Operators<S>) => readonly Condition[])
  | readonly Condition[];

const EVERYTHING: readonly Condition[] = [];

/** What can be read of a table: as it is now, or as it was in the moment of a snapshot. */
export class ReadView<S extends Schema> {
  protected readonly layout: Layout;
  readonly #rows: Rows;
  readonly #operators: Operators<S>;

  constructor(layout: Layout, rows: Rows, operators = typedOperators<S>(layout)) {
    this.layout = layout;
    this.#rows = rows;
    this.#operators = operators;
  }

  /** The number of rows. */
  get size(): number {
    return this.#rows.size;
  }

  /** The row with an id. */
  get(id: Id<S>): Row<S> | undefined {
    const row = rowAt(this.#rows, this.layout.identity.slotOf(id));
    return row && typedRow<S>(row);
  }

  /**
   * The rows that match, by ascending id unless the options give an order.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    const found: StoredRow[] = [];
    for (const batch of this.#run(where, options)) {
      for (const row of batch) found.push(row);
    }
    return typedRows<S>(found);
  }

  /** The first row that `search` would give. */
  searchOne(
    where: Where<S> = EVERYTHING,
    options: SearchOptions<ColumnName<S>> = {},
  ): Row<S> | undefined {
    return this.search(where, { ...options, limit: 1 })[0];
  }

  /** The number of rows that match. */
  count(where: Where<S> = EVERYTHING): number {
    let count = 0;
    for (const batch of matches(this.query(where))) count += batch.length;
    return count;
  }

  /** Whether any row matches. */
  exists(where: Where<S> = EVERYTHING): boolean {
    return this.searchOne(where) !== undefined;
  }

  /**
   * The same rows as `search`, found one by one as they are pulled, all from this moment.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  cursor(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    return new Cursor<S>(this.#run(where, options));
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.#operators) : where;
    checkConditions(this.layout.columns, conditions);
    return conditions;
  }

  protected query(where: Where<S>): Query {
    const test = compile(this.layout, this.conditionsOf(where));
    return { rows: this.#rows, access: FULL_SCAN, test };
  }

  #run(where: Where<S>, options: SearchOptions<ColumnName<S>>): Generator<StoredRow[]> {
    const window: Window = windowOf(this.layout, options);
    return windowed(this.layout, this.query(where), window);
  }
}

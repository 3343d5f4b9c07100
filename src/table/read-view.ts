import { checkConditions } from './condition/check-condition.ts';
import type { Condition } from './condition/condition.ts';
import type { Operators } from './condition/operators.ts';
import { compile } from './condition/predicate.ts';
import type { IndexSet } from './indexes/index-set.ts';
import { inBlocks } from './indexes/slot-blocks.ts';
import { Cursor } from './query/cursor.ts';
import { matches, type Query, windowed } from './query/execute.ts';
import { type Explanation, explanationOf } from './query/explain.ts';
import { type Access, type Plan, planFor } from './query/plan.ts';
import { type SearchOptions, type Window, windowOf } from './query/search-options.ts';
import { typedOperators, typedRow, typedRows } from './schema/casts.ts';
import type { ColumnName, Id, Row, Schema } from './schema/column.ts';
import type { Layout } from './schema/layout.ts';
import type { StoredRow } from './schema/stored-row.ts';
import { type Rows, rowAt } from './storage/row-store.ts';

/**
 * Conditions that must all hold: as a callback that builds them from the columns, checked by the
 * compiler, or as data, checked at run time.
 */
export type Where<S extends Schema> =
  | ((columns: Operators<S>) => readonly Condition[])
  | readonly Condition[];

const EVERYTHING: readonly Condition[] = [];

/** Rows, and the indexes for as long as they describe these rows. */
export interface Source {
  readonly rows: Rows;
  readonly indexes: IndexSet | undefined;
}

/** What can be read of a table: as it is now, or as it was in the moment of a snapshot. */
export class ReadView<S extends Schema> {
  protected readonly layout: Layout;
  protected readonly operators: Operators<S>;
  readonly #source: () => Source;

  /** @param source gives what is read, which may be another with each query */
  constructor(layout: Layout, source: () => Source, operators = typedOperators<S>(layout)) {
    this.layout = layout;
    this.operators = operators;
    this.#source = source;
  }

  /** The number of rows. */
  get size(): number {
    return this.#source().rows.size;
  }

  /** The row with an id. */
  get(id: Id<S>): Row<S> | undefined {
    const row = rowAt(this.#source().rows, this.layout.identity.slotOf(id));
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
    const conditions = this.conditionsOf(where);
    if (conditions.length === 0) return this.size;
    let count = 0;
    for (const batch of this.matching(conditions)) count += batch.length;
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
    const window = windowOf(this.layout, options);
    const query = this.#query(this.conditionsOf(where), window);
    return new Cursor<S>(windowed(this.layout, { ...query, access: held(query.access) }, window));
  }

  /**
   * How a search would be run, without running it.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  explain(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Explanation {
    const conditions = this.conditionsOf(where);
    const window = windowOf(this.layout, options);
    return explanationOf(this.size, conditions, window, this.#plan(conditions, window));
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.operators) : where;
    checkConditions(this.layout.columns, conditions);
    return conditions;
  }

  /** The rows that match checked conditions, in batches, by id. */
  protected matching(conditions: readonly Condition[]): Generator<StoredRow[]> {
    return matches(this.#query(conditions, windowOf(this.layout, {})));
  }

  #run(where: Where<S>, options: SearchOptions<ColumnName<S>>): Generator<StoredRow[]> {
    const window = windowOf(this.layout, options);
    return windowed(this.layout, this.#query(this.conditionsOf(where), window), window);
  }

  #query(conditions: readonly Condition[], window: Window): Query {
    const plan = this.#plan(conditions, window);
    return {
      rows: this.#source().rows,
      access: plan.access(),
      test: conditions.length > 0 ? compile(this.layout, conditions) : undefined,
      mustSort: plan.order === 'sort',
    };
  }

  #plan(conditions: readonly Condition[], window: Window): Plan {
    return planFor({ layout: this.layout, ...this.#source() }, conditions, window);
  }
}

/** An index cannot be read later, when it has gone on to describe other rows. */
function held(access: Access): Access {
  return access.kind === 'range'
    ? access
    : { ...access, slots: inBlocks([...access.slots].flat()) };
}

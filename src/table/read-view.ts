import { checkConditions } from './condition/check-condition.ts';
import type { Condition } from './condition/condition.ts';
import { costOf } from './condition/cost.ts';
import type { Operators } from './condition/operators.ts';
import { compile, type Predicate } from './condition/predicate.ts';
import type { IndexSet } from './indexes/index-set.ts';
import type { Rechecks } from './query/access-path.ts';
import { Cursor } from './query/cursor.ts';
import { Execution } from './query/execution.ts';
import { type Explanation, explanationOf } from './query/explain.ts';
import { type Clock, Pace, processClock } from './query/pace.ts';
import { needsTest, type Plan, planFor } from './query/plan.ts';
import { matchingSlots } from './query/scan.ts';
import { type CheckedOptions, checkOptions, type SearchOptions } from './query/search-options.ts';
import type { Batches } from './query/sort.ts';
import { asRow, asRows, operatorsFor } from './schema/casts.ts';
import type { ColumnName, Id, Row, Schema } from './schema/column.ts';
import type { Layout } from './schema/layout.ts';
import type { StoredRow } from './schema/stored-row.ts';
import { type Rows, rowAt } from './storage/row-store.ts';

/**
 * Conditions, all of which must be true: either a callback that builds them from the columns
 * (checked by the compiler) or data (checked at run time).
 */
export type Where<S extends Schema> =
  | ((columns: Operators<S>) => readonly Condition[])
  | readonly Condition[];

const EVERYTHING: readonly Condition[] = [];

/** The rows to query, and the indexes if they are current for these rows. */
export interface Source {
  readonly rows: Rows;
  readonly indexes: IndexSet | undefined;
}

/** Queries over the current rows of a table, or over those of a snapshot. */
export abstract class ReadView<S extends Schema> {
  protected readonly layout: Layout;
  protected readonly operators: Operators<S>;
  protected readonly clock: Clock;
  readonly #source: () => Source;

  /** @param source returns the data to read, which may differ from query to query */
  constructor(
    layout: Layout,
    source: () => Source,
    clock = processClock,
    operators = operatorsFor<S>(layout),
  ) {
    this.layout = layout;
    this.operators = operators;
    this.clock = clock;
    this.#source = source;
  }

  /** The number of rows. */
  get size(): number {
    return this.#source().rows.size;
  }

  /** Returns the row with the id; undefined if there is none. */
  get(id: Id<S>): Row<S> | undefined {
    const row = rowAt(this.#source().rows, this.layout.identity.slotOf(id));
    return row && asRow<S>(row);
  }

  /**
   * Returns the matching rows, in ascending order of id unless the options specify another order.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    const found: StoredRow[] = [];
    for (const batch of this.#run(where, options, Pace.endless()).results()) {
      for (const row of batch) found.push(row);
    }
    return asRows<S>(found);
  }

  /** Returns the first row that `search` would return; undefined if no row matches. */
  searchOne(
    where: Where<S> = EVERYTHING,
    options: SearchOptions<ColumnName<S>> = {},
  ): Row<S> | undefined {
    return this.search(where, { ...options, limit: 1 })[0];
  }

  /** Returns the number of matching rows. */
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
   * Returns the same rows as `search`, but finds them as they are pulled. All of them are as they
   * were when the cursor was opened.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  abstract cursor(where?: Where<S>, options?: SearchOptions<ColumnName<S>>): Cursor<S>;

  /**
   * Describes how a search would run, without running it.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  explain(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Explanation {
    const conditions = this.conditionsOf(where);
    const checked = checkOptions(this.layout, options);
    return explanationOf(this.size, conditions, this.#plan(conditions, checked));
  }

  /** @param close called when the cursor ends or is closed */
  protected openCursor(
    where: Where<S> = EVERYTHING,
    options: SearchOptions<ColumnName<S>> = {},
    close: () => void,
  ): Cursor<S> {
    const pace = new Pace(this.clock);
    return new Cursor<S>(this.#run(where, options, pace), pace, close);
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.operators) : where;
    checkConditions(this.layout.columns, conditions);
    return conditions;
  }

  /** Finds the rows that match checked conditions, in batches, in ascending order of id. */
  protected matching(conditions: readonly Condition[]): Batches<StoredRow> {
    return this.#execution(conditions, checkOptions(this.layout, {}), Pace.endless()).matches();
  }

  #run(where: Where<S>, options: SearchOptions, pace: Pace): Execution {
    return this.#execution(this.conditionsOf(where), checkOptions(this.layout, options), pace);
  }

  #execution(conditions: readonly Condition[], options: CheckedOptions, pace: Pace): Execution {
    const { layout } = this;
    const { rows } = this.#source();
    const { order, ...plan } = this.#plan(conditions, options);
    const count = options.total ? plan.count?.() : undefined;
    const wantsAll = order === 'sort' || (options.total && count === undefined);
    const rowsWanted = wantsAll ? Number.POSITIVE_INFINITY : options.offset + options.limit;
    const access = plan.access(this.#rechecks(rows, pace));
    const isTested = needsTest(access);
    return new Execution({
      layout,
      options,
      order,
      pace,
      rows,
      test: isTested ? compile(layout, conditions) : undefined,
      cost: isTested ? Math.max(1, costOf(conditions)) : 1,
      access,
      count,
      rowsWanted,
    });
  }

  /** Compiles a condition when the first of its candidates have to be rechecked. */
  #rechecks(rows: Rows, pace: Pace): Rechecks {
    return (condition) => {
      let test: Predicate | undefined;
      return (candidates) => {
        test ??= compile(this.layout, [condition]);
        return matchingSlots(candidates, rows, test, pace);
      };
    };
  }

  #plan(conditions: readonly Condition[], options: CheckedOptions): Plan {
    const { rows, indexes } = this.#source();
    return planFor({ layout: this.layout, rows, indexes }, conditions, options);
  }
}

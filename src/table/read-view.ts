import type { Mask } from './bits.ts';
import { checkConditions } from './condition/check-condition.ts';
import { type Columns, columnsOf } from './condition/columns.ts';
import type { Condition } from './condition/condition.ts';
import { type Pages, pageOf } from './pages/page-list.ts';
import { criteriaFor } from './query/criteria.ts';
import { Cursor } from './query/cursor.ts';
import { Execution } from './query/execution.ts';
import { type Explanation, explanationOf } from './query/explain.ts';
import { newMask } from './query/filter.ts';
import { type Clock, Pace, processClock } from './query/pace.ts';
import { checkOptions, type SearchOptions } from './query/search-options.ts';
import { asRow, asRows } from './schema/casts.ts';
import type { ColumnName, Id, Row, Schema, StoredRow } from './schema/column.ts';
import type { Layout } from './schema/layout.ts';

/**
 * Conditions, all of which must be true: either a callback that builds them from the columns
 * (checked by the compiler) or data (checked at run time).
 */
export type Where<S extends Schema> =
  | ((columns: Columns<S>) => readonly Condition[])
  | readonly Condition[];

const EVERYTHING: readonly Condition[] = [];

/** Queries over the current rows of a table, or over those of a snapshot. */
export abstract class ReadView<S extends Schema> {
  protected readonly layout: Layout;
  protected readonly columns: Columns<S>;
  protected readonly clock: Clock;
  readonly #pages: () => Pages;
  /** For the next search: to make one takes as long as a short search. */
  #mask: Mask | undefined;

  /** @param pages returns the pages to read, which may differ from query to query */
  constructor(
    layout: Layout,
    pages: () => Pages,
    clock = processClock,
    columns = columnsOf<S>(layout),
  ) {
    this.layout = layout;
    this.columns = columns;
    this.clock = clock;
    this.#pages = pages;
  }

  /** The number of rows. */
  get size(): number {
    return this.#pages().size;
  }

  /** Returns the row with the id; undefined if there is none. */
  get(id: Id<S>): Row<S> | undefined {
    const slot = this.layout.identity.slotOf(id);
    const row = pageOf(this.#pages(), slot)?.rowOf(slot);
    return row && asRow<S>(row);
  }

  /**
   * Returns the matching rows, in ascending order of id unless the options specify another order.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = EVERYTHING, options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    const found: StoredRow[] = [];
    const mask = this.#mask;
    this.#mask = undefined;
    for (const batch of this.#run(where, options, Pace.endless(), mask).results()) {
      for (const row of batch ?? []) found.push(row);
    }
    this.#mask = mask ?? newMask();
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
    const counting = this.#run(where, {}, Pace.endless());
    for (const steps = counting.count(); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
    }
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
    const criteria = criteriaFor(this.layout, this.conditionsOf(where));
    return explanationOf(this.layout, criteria, checkOptions(this.layout, options), this.#pages());
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
    const conditions = typeof where === 'function' ? where(this.columns) : where;
    checkConditions(this.layout.columns, conditions);
    return conditions;
  }

  #run(where: Where<S>, options: SearchOptions, pace: Pace, mask?: Mask): Execution {
    const { layout } = this;
    const checked = checkOptions(layout, options);
    const criteria = criteriaFor(layout, this.conditionsOf(where));
    return new Execution({
      ...criteria,
      layout,
      pages: this.#pages(),
      options: checked,
      pace,
      mask,
    });
  }
}

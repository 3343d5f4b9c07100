import type { Mask } from './bits.ts';
import { type Columns, type Condition, checkConditions, columnsOf } from './condition/condition.ts';
import { criteriaFor } from './query/criteria.ts';
import { Cursor } from './query/cursor.ts';
import { Execution } from './query/execution.ts';
import { findMatches } from './query/matches.ts';
import { ENDLESS, Pace, runToEnd, type TimeSource } from './query/pace.ts';
import { checkOptions, type SearchOptions } from './query/search-options.ts';
import type { ColumnName, Row, Schema, StoredRow } from './schema/column.ts';
import { asRows, type ResolvedSchema } from './schema/resolved-schema.ts';
import { LEAF_WORDS } from './slots.ts';
import type { TableData } from './write/table-data.ts';

/** Conditions, all of which must be true: a callback that builds them from the columns, or data. */
export type Where<S extends Schema> =
  | ((columns: Columns<S>) => readonly Condition[])
  | readonly Condition[];

/** The queries of a table. */
export abstract class Queries<S extends Schema> {
  protected readonly data: TableData;
  protected readonly schema: ResolvedSchema;
  protected readonly clock: TimeSource;
  readonly #columns: Columns<S>;
  /** A mask to reuse, because creating one takes as long as a short search. */
  #spareMask: Mask | undefined;

  constructor(data: TableData, clock: TimeSource) {
    this.data = data;
    this.schema = data.leaves.schema;
    this.clock = clock;
    this.#columns = columnsOf<S>(this.schema);
  }

  /** The number of rows. */
  get size(): number {
    return this.data.leaves.size;
  }

  /**
   * Returns the matching rows, in ascending order of id unless the options specify another order.
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    const list = this.data.leaves;
    const mask = this.#takeMask();
    const plan = { ...this.#prepare(where, options), list, pace: ENDLESS, mask };
    let found: StoredRow[] | undefined;
    for (const batch of new Execution(plan).results()) {
      if (!found) found = batch;
      else if (batch) for (const row of batch) found.push(row);
    }
    this.#spareMask = mask;
    return asRows<S>(found ?? []);
  }

  /** Returns the number of matching rows. */
  count(where: Where<S> = []): number {
    const conditions = this.conditionsOf(where);
    const { leaves } = this.data;
    if (conditions.length === 0) return leaves.size;
    const mask = this.#takeMask();
    const criteria = criteriaFor(leaves, conditions);
    const count = runToEnd(findMatches(leaves.leaves, criteria, ENDLESS, mask));
    this.#spareMask = mask;
    return count;
  }

  /** Returns the rows of `search` as they are now, in steps. @throws ConditionError */
  cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    const prepared = this.#prepare(where, options);
    const list = this.data.leaves.snapshot();
    const pace = new Pace(this.clock);
    const mask = this.#takeMask();
    return new Cursor<S>(new Execution({ ...prepared, list, pace, mask }), pace, () => {
      list.close();
      this.#spareMask = mask;
    });
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.#columns) : where;
    checkConditions(this.schema.columns, conditions);
    return conditions;
  }

  #prepare(where: Where<S>, options: SearchOptions) {
    return {
      criteria: criteriaFor(this.data.leaves, this.conditionsOf(where)),
      options: checkOptions(this.schema, options),
    };
  }

  /** Returns a mask with words for all leaves. */
  #takeMask(): Mask {
    const spare = this.#spareMask;
    this.#spareMask = undefined;
    const words = this.data.leaves.leaves.length * LEAF_WORDS;
    return spare && spare.length >= words ? spare : new Int32Array(words);
  }
}

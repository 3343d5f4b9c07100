import type { Mask } from './bits.ts';
import { type Columns, type Condition, checkConditions, columnsOf } from './condition/condition.ts';
import { criteriaFor, newMask } from './query/criteria.ts';
import { Cursor, Execution, type SearchPlan } from './query/execution.ts';
import { finish, Pace, type TimeSource } from './query/pace.ts';
import { checkOptions, type SearchOptions } from './query/search-options.ts';
import type { ColumnName, Row, Schema, StoredRow } from './schema/column.ts';
import { asRows, type ResolvedSchema } from './schema/resolved-schema.ts';
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
  /** The mask of all one-step queries, because creating a mask takes as long as a short search. */
  readonly #mask = newMask();
  /** The mask of a cursor that has ended, for the next one. */
  #spareMask: Mask | undefined;

  constructor(data: TableData, clock: TimeSource) {
    this.data = data;
    this.schema = data.chunks.schema;
    this.clock = clock;
    this.#columns = columnsOf<S>(this.schema);
  }

  /** The number of rows. */
  get size(): number {
    return this.data.chunks.size;
  }

  /**
   * Returns the matching rows, in ascending order of id unless the options specify another order.
   * @throws ConditionError when a condition or option does not fit the columns
   */
  search(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Row<S>[] {
    let found: StoredRow[] | undefined;
    for (const batch of this.#run(where, options).results()) {
      if (!found) found = batch;
      else if (batch) for (const row of batch) found.push(row);
    }
    return asRows<S>(found ?? []);
  }

  /** Returns the number of matching rows. */
  count(where: Where<S> = []): number {
    const execution = this.#run(where, { limit: 0, total: true });
    finish(execution.results());
    return execution.total ?? 0;
  }

  /** Returns the rows of `search` as they are now, in steps. @throws ConditionError */
  cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    const checked = this.#checked(where, options);
    const chunks = this.data.chunks.snapshot();
    const pace = new Pace(this.clock);
    const mask = this.#spareMask ?? newMask();
    this.#spareMask = undefined;
    return new Cursor<S>(new Execution({ ...checked, chunks, pace, mask }), pace, () => {
      chunks.close();
      this.#spareMask = mask;
    });
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.#columns) : where;
    checkConditions(this.schema.columns, conditions);
    return conditions;
  }

  #checked(where: Where<S>, options: SearchOptions): Pick<SearchPlan, 'criteria' | 'options'> {
    return {
      criteria: criteriaFor(this.data.chunks, this.conditionsOf(where)),
      options: checkOptions(this.schema, options),
    };
  }

  /** Makes a query that runs in one step. */
  #run(where: Where<S>, options: SearchOptions): Execution {
    const { chunks } = this.data;
    const checked = this.#checked(where, options);
    return new Execution({ ...checked, chunks, pace: Pace.endless(), mask: this.#mask });
  }
}

import type { Mask } from './bits.ts';
import { type Columns, type Condition, checkConditions } from './condition/condition.ts';
import { criteriaFor, newMask } from './query/criteria.ts';
import { Cursor, Execution, type SearchPlan } from './query/execution.ts';
import { finish, Pace, type TimeSource } from './query/pace.ts';
import { checkOptions, type SearchOptions } from './query/search-options.ts';
import { type ChunkSnapshot, type Chunks, locate } from './rows/chunk-list.ts';
import type { ColumnName, Id, Row, Schema, StoredRow } from './schema/column.ts';
import { asRow, asRows, type ResolvedSchema } from './schema/resolved-schema.ts';

/** Conditions, all of which must be true: a callback that builds them from the columns, or data. */
export type Where<S extends Schema> =
  | ((columns: Columns<S>) => readonly Condition[])
  | readonly Condition[];

/** The maximum number of masks that are kept for cursors to come, of 2 KiB each. */
const MAX_SPARE_MASKS = 64;

interface Context<S extends Schema> {
  readonly schema: ResolvedSchema;
  readonly columns: Columns<S>;
  readonly clock: TimeSource;
}

/** Queries over the rows of a table. */
export abstract class ReadView<S extends Schema> {
  protected readonly context: Context<S>;
  protected readonly schema: ResolvedSchema;
  readonly #chunks: () => Chunks;
  /** The mask of queries that run in one step: to make one takes as long as a short search. */
  readonly #mask = newMask();
  /** The masks of cursors that have ended, for others. */
  readonly #spareMasks: Mask[] = [];

  /** @param chunks returns those to read, which may differ from query to query */
  constructor(context: Context<S>, chunks: () => Chunks) {
    this.context = context;
    this.schema = context.schema;
    this.#chunks = chunks;
  }

  /** The number of rows. */
  get size(): number {
    return this.#chunks().size;
  }

  /** Returns the row with the id; undefined if there is none. */
  get(id: Id<S>): Row<S> | undefined {
    const chunks = this.#chunks();
    const { identity } = this.schema;
    const { row } = locate(chunks, identity.chunkOf(id), identity.offsetOf(id));
    return row && asRow<S>(row);
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
    return finish(this.#run(where, {}).count());
  }

  /** Returns the rows of `search` as they are now, in steps. @throws ConditionError as that does */
  cursor(where: Where<S> = [], options: SearchOptions<ColumnName<S>> = {}): Cursor<S> {
    const snapshot = this.#chunks().snapshot();
    try {
      const pace = new Pace(this.context.clock);
      const mask = this.#spareMasks.pop() ?? newMask();
      const execution = this.#run(where, options, { chunks: snapshot.read(), pace, mask });
      return new Cursor<S>(execution, pace, snapshot, () => {
        if (this.#spareMasks.length < MAX_SPARE_MASKS) this.#spareMasks.push(mask);
      });
    } catch (error) {
      snapshot.close();
      throw error;
    }
  }

  /** Returns how many rows a search would have to test, without testing them. */
  countTests(where: Where<S> = []): number {
    return this.#run(where, {}).countTests();
  }

  protected conditionsOf(where: Where<S>): readonly Condition[] {
    const conditions = typeof where === 'function' ? where(this.context.columns) : where;
    checkConditions(this.schema.columns, conditions);
    return conditions;
  }

  #run(
    where: Where<S>,
    options: SearchOptions,
    { chunks = this.#chunks(), pace = Pace.endless(), mask = this.#mask }: Partial<SearchPlan> = {},
  ): Execution {
    const { schema } = this;
    const checked = checkOptions(schema, options);
    const criteria = criteriaFor(chunks, this.conditionsOf(where));
    return new Execution({ criteria, chunks, options: checked, pace, mask });
  }
}

/** The table as it was when the snapshot was taken. It retains memory until it is closed. */
export class Snapshot<S extends Schema> extends ReadView<S> {
  readonly #snapshot: ChunkSnapshot;

  constructor(context: Context<S>, snapshot: ChunkSnapshot) {
    super(context, () => snapshot.read());
    this.#snapshot = snapshot;
  }

  /** Frees the memory that the snapshot retains. It can no longer be read. Idempotent. */
  close(): void {
    this.#snapshot.close();
  }
}

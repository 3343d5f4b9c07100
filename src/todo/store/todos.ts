import type { Work } from '../../http/core/work.ts';
import { assignments } from '../../resource/assignments.ts';
import type { FieldValues } from '../../resource/field.ts';
import type { Cursor } from '../../table/query/cursor.ts';
import type { Order } from '../../table/query/search-options.ts';
import type { Id, NewRow, Row } from '../../table/schema/column.ts';
import { type Stats, type Synchronous, Table, type TableOptions } from '../../table/table.ts';
import type { Commit } from '../../table/write/commit.ts';
import type { TodoFields } from '../fields.ts';
import type { ListQuery } from '../routes/list-query.ts';

/** Runs long work in steps, alternating with other work. */
export type Run = <T>(work: Work<T>) => T | Promise<T>;

/** A stored item. */
export type Todo = Row<TodoFields>;

/** The items and the operations on them, each one transaction (contract: "Operations"). */
export class Todos {
  /** Where they are stored. */
  readonly table: Table<TodoFields>;
  readonly #assigned: () => FieldValues;
  readonly #seed: readonly FieldValues[];
  #lastReset: Promise<void> = Promise.resolve();

  /**
   * @param seed the items to start with, and to reset to
   * @throws TableFullError if the seed does not fit
   */
  constructor(fields: TodoFields, options: TableOptions = {}, seed: readonly FieldValues[] = []) {
    this.table = new Table(fields, options);
    this.#assigned = assignments(fields);
    this.#seed = seed;
    for (const values of seed) this.create(values);
  }

  /**
   * Goes back to the seed in one commit; ids start again. Resets run one after the other; a write
   * that comes while one is being prepared is ordered before it.
   * @throws Problem `overloaded`
   */
  async reset(run: Run): Promise<void> {
    const reset = this.#lastReset.then(() => run(this.#reset()));
    this.#lastReset = reset.catch(() => {});
    await reset;
  }

  *#reset(): Generator<void, void> {
    const replacement = this.table.replacement();
    for (const values of this.#seed) {
      replacement.insert(this.#newRow(values));
      yield;
    }
    replacement.commit();
  }

  /** All items, by ascending id. */
  get all(): readonly Todo[] {
    return this.table.search();
  }

  get stats(): Stats {
    return this.table.stats();
  }

  /** The number of the last write. While it stays the same, so does every list. */
  get version(): number {
    return this.table.version;
  }

  /** Calls back after each commit. */
  onCommit(listener: (commit: Commit<TodoFields>) => void): void {
    this.table.onCommit(listener);
  }

  /** Runs a write including its response; if it throws, it leaves no trace. */
  transaction<T extends Synchronous>(work: () => T): T {
    return this.table.transaction(work);
  }

  /**
   * The items a query finds, as they are now: later writes do not show while they are being read.
   * @param isCounted whether the cursor counts all matches, whatever limit and offset are
   */
  list({ conditions, orderBy, limit, offset }: ListQuery, isCounted = false): Cursor<TodoFields> {
    return this.table.cursor(conditions, {
      // Field names; the type has only those that all variants share.
      orderBy: orderBy as readonly Order<keyof TodoFields>[],
      limit: limit ?? Number.POSITIVE_INFINITY,
      offset: offset ?? 0,
      total: isCounted,
    });
  }

  get(id: Id<TodoFields>): Todo | undefined {
    return this.table.get(id);
  }

  /** The number of the commit that wrote an item; undefined if no item has the id. */
  revisionOf(id: Id<TodoFields>): number | undefined {
    return this.table.revisionOf(id);
  }

  /** @throws TableFullError, IdsExhaustedError */
  create(values: FieldValues): Todo {
    return this.table.insert(this.#newRow(values));
  }

  /**
   * Overwrites the fields that have a value. If that changes nothing, nothing is written.
   * @returns undefined if no item has the id
   * @throws TableFullError
   */
  update(id: Id<TodoFields>, values: FieldValues): Todo | undefined {
    const before = this.table.get(id);
    if (before === undefined || changesNothing(before, values)) return before;
    return this.table.update(id, values);
  }

  /**
   * Deletes an item.
   * @returns whether it existed
   */
  delete(id: Id<TodoFields>): boolean {
    return this.table.delete(id);
  }

  #newRow(values: FieldValues): NewRow<TodoFields> {
    // The validator's values are typed by field, not as a row; the table checks each by its column.
    return { ...values, ...this.#assigned() } as NewRow<TodoFields>;
  }
}

function changesNothing(before: FieldValues, values: FieldValues): boolean {
  for (const name in values) if (values[name] !== before[name]) return false;
  return true;
}

import type { Changes, Id, NewRow, Row, Schema } from './column.ts';
import type { Condition, NonEmpty } from './condition.ts';
import { AsyncTransactionError, EmptyConditionError, TableFullError } from './errors.ts';
import { matches } from './execute.ts';
import { layoutOf, type StoredRow } from './layout.ts';
import type { Operators } from './operators.ts';
import { RowStore, rowAt } from './pages.ts';
import { ReadView } from './read-view.ts';
import { changedRow, newRow } from './row.ts';
import { typedRow } from './typed.ts';

/** Settings of a table. */
export interface TableOptions {
  /** The most rows it may hold; no limit unless given. */
  readonly maxRows?: number;
  /** The first id, if not the start of the identity's range. */
  readonly firstId?: number | bigint;
  /** Runs a short task of housekeeping when nobody waits; `setImmediate` unless given. */
  readonly schedule?: (task: () => void) => void;
}

/** Conditions for `remove`, of which there must be at least one. */
export type NonEmptyWhere<S extends Schema> = ((columns: Operators<S>) => NonEmpty) | NonEmpty;

/** A slot was written; what it held before undoes the write. */
interface Write {
  readonly slot: number;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
}

/** A table in memory: typed columns, generated ids, indexes, transactions, snapshots. */
export class Table<S extends Schema> extends ReadView<S> {
  readonly #store: RowStore;
  readonly #maxRows: number;
  #writes: Write[] = [];
  #depth = 0;
  #nextSlot = 0;
  #version = 0;

  /** @throws SchemaError when the schema or the first id does not make sense */
  constructor(schema: S, options: TableOptions = {}) {
    const layout = layoutOf(schema, options.firstId);
    const store = new RowStore(layout.foldedColumns);
    super(layout, store);
    this.#store = store;
    this.#maxRows = options.maxRows ?? Number.POSITIVE_INFINITY;
  }

  /** The number of the last commit. */
  get version(): number {
    return this.#version;
  }

  /**
   * Stores a new row under the next id.
   *
   * @throws ColumnError when a value does not fit its column
   * @throws TableFullError when `maxRows` is reached
   * @throws IdsExhaustedError when the last id has been given
   */
  insert(values: NewRow<S>): Row<S> {
    if (this.size >= this.#maxRows) throw new TableFullError(this.#maxRows);
    const slot = this.#nextSlot;
    const row = newRow(this.layout, this.layout.identity.idAt(slot), values);
    this.#atomically(() => {
      this.#nextSlot = slot + 1;
      this.#write(slot, row);
    });
    return typedRow<S>(row);
  }

  /**
   * Changes columns of a row.
   *
   * @returns the new row; undefined when there is none with that id
   * @throws ColumnError when a value does not fit its column
   */
  update(id: Id<S>, changes: Changes<S>): Row<S> | undefined {
    const slot = this.layout.identity.slotOf(id);
    const before = rowAt(this.#store, slot);
    if (!before) return undefined;
    const after = changedRow(this.layout, before, changes);
    this.#atomically(() => this.#write(slot, after));
    return typedRow<S>(after);
  }

  /** Deletes the row with an id; false when there is none. */
  delete(id: Id<S>): boolean {
    const slot = this.layout.identity.slotOf(id);
    if (!rowAt(this.#store, slot)) return false;
    this.#atomically(() => this.#write(slot, undefined));
    return true;
  }

  /**
   * Deletes the rows that match at least one condition.
   *
   * @returns how many
   * @throws EmptyConditionError when there is no condition
   */
  remove(where: NonEmptyWhere<S>): number {
    const conditions: readonly Condition[] = this.conditionsOf(where);
    if (conditions.length === 0) throw new EmptyConditionError();
    return this.#deleteAll(conditions);
  }

  /** Deletes every row, and returns how many there were. Ids go on from where they are. */
  removeAll(): number {
    return this.#deleteAll([]);
  }

  /**
   * Does several things as one: all of it is committed when the callback returns, or nothing when
   * it throws. A transaction within another one is a part of it, which can be undone by itself.
   *
   * @throws AsyncTransactionError when the callback is asynchronous; nothing is committed then
   */
  transaction<T>(work: (table: this) => T & (T extends PromiseLike<unknown> ? never : unknown)): T {
    return this.#atomically(() => {
      const result: T = work(this);
      if (isThenable(result)) throw new AsyncTransactionError();
      return result;
    });
  }

  /** The table as it is now, whatever is written later. */
  snapshot(): ReadView<S> {
    return new ReadView<S>(this.layout, this.#store.snapshot());
  }

  #deleteAll(conditions: readonly Condition[]): number {
    const doomed: StoredRow[] = [];
    for (const batch of matches(this.query(conditions))) doomed.push(...batch);
    const { identity } = this.layout;
    this.#atomically(() => {
      for (const row of doomed) this.#write(identity.slotOf(row[identity.column]), undefined);
    });
    return doomed.length;
  }

  #write(slot: number, after: StoredRow | undefined): void {
    const before = rowAt(this.#store, slot);
    this.#writes.push({ slot, before, after });
    this.#store.set(slot, after);
  }

  #atomically<T>(work: () => T): T {
    const firstWrite = this.#writes.length;
    const nextSlot = this.#nextSlot;
    this.#depth++;
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#undo(firstWrite);
      this.#nextSlot = nextSlot;
      throw error;
    } finally {
      this.#depth--;
    }
    if (this.#depth === 0) this.#commit();
    return result;
  }

  #undo(firstWrite: number): void {
    for (const { slot, before } of this.#writes.splice(firstWrite).reverse()) {
      this.#store.set(slot, before);
    }
  }

  #commit(): void {
    if (this.#writes.length === 0) return;
    this.#writes = [];
    this.#version++;
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value;
}

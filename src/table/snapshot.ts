import type { IndexSet } from './indexes/index-set.ts';
import type { Cursor } from './query/cursor.ts';
import type { Clock } from './query/pace.ts';
import type { SearchOptions } from './query/search-options.ts';
import { ReadView, type Where } from './read-view.ts';
import type { ColumnName, Schema } from './schema/column.ts';
import type { Layout } from './schema/layout.ts';
import type { RowSnapshot } from './storage/row-store.ts';

/**
 * The table as it was at one moment. It retains memory until it is closed: call `close` when done.
 * If that is forgotten, the memory is freed some time after the snapshot is garbage-collected.
 */
export class Snapshot<S extends Schema> extends ReadView<S> {
  readonly #rows: RowSnapshot;
  readonly #indexes: () => IndexSet | undefined;

  /** @param indexes returns the indexes while they are current for these rows, then undefined */
  constructor(
    layout: Layout,
    rows: RowSnapshot,
    indexes: () => IndexSet | undefined,
    clock: Clock,
    operators?: ReadView<S>['operators'],
  ) {
    super(layout, () => ({ rows, indexes: indexes() }), clock, operators);
    this.#rows = rows;
    this.#indexes = indexes;
  }

  override cursor(where?: Where<S>, options?: SearchOptions<ColumnName<S>>): Cursor<S> {
    return this.#share().intoCursor(where, options);
  }

  /**
   * Returns a cursor that closes this snapshot when the cursor ends or is closed.
   *
   * @throws ConditionError when a condition or option does not fit the columns
   */
  intoCursor(where?: Where<S>, options?: SearchOptions<ColumnName<S>>): Cursor<S> {
    try {
      return this.openCursor(where, options, () => this.close());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Frees the memory that the snapshot retains. It can no longer be read, but its open cursors
   * can.
   */
  close(): void {
    this.#rows.close();
  }

  #share(): Snapshot<S> {
    const rows = this.#rows.share();
    return new Snapshot(this.layout, rows, this.#indexes, this.clock, this.operators);
  }
}

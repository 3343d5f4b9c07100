import type { PageSnapshot } from './pages/page-list.ts';
import type { Cursor } from './query/cursor.ts';
import type { Clock } from './query/pace.ts';
import type { SearchOptions } from './query/search-options.ts';
import { ReadView, type Where } from './read-view.ts';
import type { ColumnName, Schema } from './schema/column.ts';
import type { Layout } from './schema/layout.ts';

/**
 * The table as it was when the snapshot was taken. It retains memory until it is closed: call
 * `close` when done.
 */
export class Snapshot<S extends Schema> extends ReadView<S> {
  readonly #snapshot: PageSnapshot;

  constructor(
    layout: Layout,
    snapshot: PageSnapshot,
    clock: Clock,
    columns?: ReadView<S>['columns'],
  ) {
    super(layout, () => snapshot, clock, columns);
    this.#snapshot = snapshot;
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
    this.#snapshot.close();
  }

  #share(): Snapshot<S> {
    return new Snapshot(this.layout, this.#snapshot.share(), this.clock, this.columns);
  }
}

import type { Columns, Condition, NonEmpty } from './condition/condition.ts';
import type { TimeSource } from './query/pace.ts';
import type { Row, Schema } from './schema/column.ts';

/** Options of a table. */
export interface TableOptions {
  /** The maximum number of rows; unlimited by default. */
  readonly maxRows?: number;
  /** The maximum memory in bytes, without what open cursors keep; unlimited by default. */
  readonly maxBytes?: number;
  /** Measures the length of steps, in milliseconds; by default, `performance.now`. */
  readonly clock?: TimeSource;
}

/** A row with the number of its commit. */
export interface FoundRow<S extends Schema> {
  readonly row: Row<S>;
  /** The number of the commit that wrote it, which may be the running transaction's. */
  readonly commit: number;
  /** The memory that it takes, in bytes: more than its JSON has. */
  readonly bytes: number;
}

/** Conditions, all of which must be true: a callback that builds them from the columns, or data. */
export type Where<S extends Schema> =
  | ((columns: Columns<S>) => readonly Condition[])
  | readonly Condition[];

/** Conditions for `remove`: at least one. */
export type NonEmptyWhere<S extends Schema> = ((columns: Columns<S>) => NonEmpty) | NonEmpty;

import type { Id, Row, Schema } from '../schema/column.ts';

/** A row that was inserted, changed or deleted. */
export type Change<S extends Schema> =
  | { readonly put: Row<S>; readonly before: Row<S> | undefined; readonly deleted?: undefined }
  | { readonly deleted: Row<S>; readonly put?: undefined };

/** Changes in order. The elements are created during iteration. */
export interface ChangeList<S extends Schema> extends Iterable<Change<S>> {
  readonly length: number;
}

/** The changes of one transaction. Numbers ascend; those that the table assigns have no gaps. */
export interface Commit<S extends Schema> {
  readonly number: number;
  readonly changes: ChangeList<S>;
}

/** A row of a commit that is repeated. */
export interface CommittedRow<S extends Schema> {
  readonly id: Id<S>;
  /** The values of the other columns; undefined if the row was deleted. */
  readonly values: object | undefined;
  /** The number of the commit that wrote it; by default, the commit that is repeated. */
  readonly commit?: number;
}

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
  /** The table took all rows of another one; `changes` is empty then. */
  readonly isReplacement: boolean;
}

/** A row that another process wrote; `row` is undefined if it was deleted. */
export interface AppliedRow<S extends Schema> {
  readonly id: Id<S>;
  readonly row: Row<S> | undefined;
  /** The number of the commit that wrote it; by default, the commit that applies it. */
  readonly commit?: number;
}

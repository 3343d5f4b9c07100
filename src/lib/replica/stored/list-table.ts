import type { Change, Column, Id, Integer, Row, Schema, Synchronous } from '../../table/index.ts';

/** The schema of a list that replicas share. Its primary key is `id`. */
export type ListSchema = Schema & {
  readonly id: Column & {
    readonly kind: 'integer' | 'bigint';
    readonly nullable?: false;
    readonly identity: { readonly from: Integer; readonly to: Integer };
  };
};

/** A row of a replicated list. */
export type ListRow = Row<ListSchema>;
export type RowId = Id<ListSchema>;

/** A row that was written; `row` is undefined if it was deleted. */
export interface WrittenRow {
  readonly id: RowId;
  readonly row: ListRow | undefined;
  /** The revision that wrote it; by default, the revision of the head. */
  readonly revision?: number;
}

/** The part of the table engine's `Table` that replicas use. */
export interface ListTable {
  rowOf(id: RowId, values: object): ListRow;
  readonly idsAssigned: bigint;
  /** Replicas set it, and never read it. */
  maxRows: number;
  transaction<T extends Synchronous>(work: () => T): T;
  dryRun<T extends Synchronous>(
    work: (writtenAfter: (count: number) => readonly Change<ListSchema>[]) => T,
  ): T;
  apply(rows: readonly WrittenRow[], idsAssigned: bigint, number: number): void;
  empty(): ListTable;
  become(other: ListTable, number: number): void;
}

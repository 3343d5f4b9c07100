/* The table engine as a package of its own, `todo-service/table` (docs/table.md). */

export {
  and,
  type ColumnCondition,
  type Condition,
  type NonEmpty,
  not,
  or,
} from '../table/condition/condition.ts';
export * from '../table/errors.ts';
export type { Order, SearchOptions } from '../table/query/search-options.ts';
export { Snapshot } from '../table/read-view.ts';
export type {
  Changes,
  Column,
  ColumnName,
  Id,
  Kind,
  NewRow,
  Row,
  Schema,
  Value,
} from '../table/schema/column.ts';
export { type Stats, Table, type TableOptions } from '../table/table.ts';
export type { Change, Commit } from '../table/write/commit.ts';

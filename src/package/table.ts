/* The table engine as a package of its own, `todo-service/table` (docs/table.md). */

export {
  and,
  type ColumnCondition,
  type Condition,
  type NonEmpty,
  not,
  or,
} from '../lib/table/condition/condition.ts';
export * from '../lib/table/errors.ts';
export type { Order, SearchOptions } from '../lib/table/query/search-options.ts';
export { Snapshot } from '../lib/table/read-view.ts';
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
} from '../lib/table/schema/column.ts';
export { type Stats, Table, type TableOptions } from '../lib/table/table.ts';
export type { Change, Commit } from '../lib/table/write/commit.ts';

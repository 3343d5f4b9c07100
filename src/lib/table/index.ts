export {
  and,
  type ColumnCondition,
  type Columns,
  type Condition,
  conditionOn,
  type NonEmpty,
  not,
  or,
} from './condition/condition.ts';
export {
  OPERATORS,
  type Operator,
  type OperatorName,
  type OperatorTaking,
  operatorsOf,
  takes,
} from './condition/operators.ts';
export { isVacuous } from './condition/vacuous.ts';
export * from './errors.ts';
export type { Means, MeansOf } from './query/criteria.ts';
export type { Cursor, Explanation } from './query/execution.ts';
export type { TimeSource } from './query/pace.ts';
export type { Order, SearchOptions } from './query/search-options.ts';
export { Snapshot, type Where } from './read-view.ts';
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
} from './schema/column.ts';
export { KINDS } from './schema/kinds.ts';
export { Table } from './table.ts';
export type { NonEmptyWhere, Stats, TableOptions } from './table-types.ts';
export { fold } from './text/case-folding.ts';
export { codePointLength } from './text/code-points.ts';
export type { BulkWrite } from './write/bulk-write.ts';
export type { Change, ChangeList, Commit, ReplayedRow } from './write/commit.ts';
export type { Replacement } from './write/replacement.ts';
export type { Synchronous } from './write/transactions.ts';

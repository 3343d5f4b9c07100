export {
  and,
  type ColumnCondition,
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
export type { Order, SearchOptions } from './query/search-options.ts';
export { Snapshot } from './read-view.ts';
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
export {
  type ReplayedRow,
  type Stats,
  type Synchronous,
  Table,
  type TableOptions,
} from './table.ts';
export { fold } from './text/case-folding.ts';
export { codePointLength } from './text/code-points.ts';
export { BulkWrite } from './write/bulk-write.ts';
export type { Change, Commit } from './write/commit.ts';

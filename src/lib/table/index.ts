export type { ColumnCondition, Columns, Condition, NonEmpty } from './condition/condition.ts';
export { and, conditionOn, not, or, takes } from './condition/condition.ts';
export type { Operator, OperatorName, OperatorTaking } from './condition/operators.ts';
export { OPERATORS, operatorsOf } from './condition/operators.ts';
export * from './errors.ts';
export type { Cursor } from './query/cursor.ts';
export type { TimeSource } from './query/pace.ts';
export type { Order, SearchOptions } from './query/search-options.ts';
export type * from './schema/column.ts';
export { canonicalInteger, type Integer, integerIn, integerRange } from './schema/integer.ts';
export {
  DATE_PATTERN,
  MINUTES_PATTERN,
  SECONDS_PATTERN,
  TIMESTAMP_PATTERN,
} from './schema/timestamp.ts';
export { Table } from './table.ts';
export type { FoundRow, NonEmptyWhere, TableOptions, Where } from './table-types.ts';
export { codePointLength } from './text/code-points.ts';
export type { BulkWrite } from './write/bulk-write.ts';
export type { Change, ChangeList, Commit, CommittedRow } from './write/commit.ts';
export type { Synchronous } from './write/transactions.ts';

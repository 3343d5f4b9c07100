import type { Column, Kind } from '../schema/column.ts';
import type { ColumnCondition } from './condition.ts';

/** The kinds of column that an operator fits. */
export interface OperatorKind {
  readonly op: ColumnCondition['op'];
  readonly kinds: readonly Kind[];
  /**
   * The members of a condition that hold its operands; an operator without any tests for null.
   */
  readonly operands: readonly ('value' | 'values' | 'from' | 'to')[];
}

const EVERY: readonly Kind[] = ['integer', 'bigint', 'boolean', 'text', 'timestamp'];
const ORDERED: readonly Kind[] = ['integer', 'bigint', 'text', 'timestamp'];
const TEXT: readonly Kind[] = ['text'];

const OPERATORS: readonly OperatorKind[] = [
  { op: 'eq', kinds: EVERY, operands: ['value'] },
  { op: 'ne', kinds: EVERY, operands: ['value'] },
  { op: 'gt', kinds: ORDERED, operands: ['value'] },
  { op: 'gte', kinds: ORDERED, operands: ['value'] },
  { op: 'lt', kinds: ORDERED, operands: ['value'] },
  { op: 'lte', kinds: ORDERED, operands: ['value'] },
  { op: 'between', kinds: ORDERED, operands: ['from', 'to'] },
  { op: 'in', kinds: EVERY, operands: ['values'] },
  { op: 'notIn', kinds: EVERY, operands: ['values'] },
  { op: 'isNull', kinds: EVERY, operands: [] },
  { op: 'isNotNull', kinds: EVERY, operands: [] },
  { op: 'contains', kinds: TEXT, operands: ['value'] },
  { op: 'containsIgnoreCase', kinds: TEXT, operands: ['value'] },
  { op: 'startsWith', kinds: TEXT, operands: ['value'] },
  { op: 'endsWith', kinds: TEXT, operands: ['value'] },
  { op: 'like', kinds: TEXT, operands: ['value'] },
];

const BY_NAME: ReadonlyMap<unknown, OperatorKind> = new Map(
  OPERATORS.map((operator) => [operator.op, operator]),
);

/** The operator with a name; undefined if there is none. */
export function operatorOf(name: unknown): OperatorKind | undefined {
  return BY_NAME.get(name);
}

/** Whether an operator that tests for null fits a column. */
export function fitsNull({ operands }: OperatorKind, { nullable = false }: Column): boolean {
  return operands.length > 0 || nullable;
}

/** The operators that fit a column. */
export function operatorsOf(column: Column): readonly ColumnCondition['op'][] {
  return OPERATORS.filter(
    (operator) => operator.kinds.includes(column.kind) && fitsNull(operator, column),
  ).map(({ op }) => op);
}

import type { Column, Kind } from '../schema/column.ts';
import type { ColumnCondition } from './condition.ts';

/** An operator, with the kinds of column that it accepts. */
export interface OperatorKind {
  readonly op: ColumnCondition['op'];
  readonly kinds: readonly Kind[];
  /**
   * The members of a condition that hold the operands. An operator without operands is a test for
   * null.
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

/** Returns the operator with a name; undefined if there is none. */
export function operatorOf(name: unknown): OperatorKind | undefined {
  return BY_NAME.get(name);
}

/** Whether an operator fits the nullability of a column: a test for null needs a nullable one. */
export function fitsNull({ operands }: OperatorKind, { nullable = false }: Column): boolean {
  return operands.length > 0 || nullable;
}

/** Returns the operators that fit a column. */
export function operatorsOf(column: Column): readonly ColumnCondition['op'][] {
  return OPERATORS.filter(
    (operator) => operator.kinds.includes(column.kind) && fitsNull(operator, column),
  ).map(({ op }) => op);
}

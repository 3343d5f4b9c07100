import type { Column, Kind, Value } from '../schema/column.ts';
import type { Compare } from '../schema/kinds.ts';
import { substringTest } from '../text/substring.ts';

type ColumnType = Pick<Column, 'kind' | 'nullable'>;

/** The operands that an operator takes: none, a `value`, a `value` that is a text, or `values`. */
export type OperandKind = 'nothing' | 'value' | 'text' | 'values';

/** Tests a value. */
export type ValueTest = (value: Value) => boolean;

type NullResult = (operands: readonly Value[]) => boolean | undefined;

/** An operator on a column: its columns, operands and meaning. */
export interface Operator {
  readonly kinds: readonly Kind[];
  /** Whether it fits only columns that may be null. */
  readonly isNullTest?: boolean;
  readonly takes: OperandKind;
  /** Completes the sentence "Only items whose priority …". As a filter, a null test takes true or false. */
  readonly meaning: string;
  /** Creates the test of values that are not null. */
  readonly test: (operands: readonly Value[], compare: Compare<Value>) => ValueTest;
  /** The result for null; undefined means SQL's UNKNOWN. */
  readonly resultForNull?: NullResult;
  /** Whether it is true for all values above or below some point, and for no others. */
  readonly isMonotonic?: boolean;
  /** Whether `test` takes case foldings, of operands and values. */
  readonly ignoresCase?: boolean;
}

const ORDERED = ['integer', 'bigint', 'number', 'text', 'timestamp', 'instant'] as const;
const COMPARED = [...ORDERED, 'boolean'] as const;
const EVERY = [...COMPARED, 'json'] as const;
const TEXT = ['text'] as const;

/** Creates a comparison. @param holds tests the result of comparing a value with the operand */
const comparison = (meaning: string, holds: (sign: number) => boolean) =>
  ({
    kinds: ORDERED,
    takes: 'value',
    meaning,
    test:
      ([operand = ''], compare) =>
      (value) =>
        holds(compare(value, operand)),
    isMonotonic: true,
  }) as const satisfies Operator;

/** Creates a test for a value or another one. */
const equality = (meaning: string, isEqual: boolean) =>
  ({
    kinds: COMPARED,
    takes: 'value',
    meaning,
    test:
      ([operand]) =>
      (value) =>
        (value === operand) === isEqual,
  }) as const satisfies Operator;

/** Creates a test for one of several values. `in` is an `or` of `eq`, so false for an empty list. */
const membership = (meaning: string, isMember: boolean) =>
  ({
    kinds: COMPARED,
    takes: 'values',
    meaning,
    test: (operands) => {
      const values = new Set(operands);
      return (value) => values.has(value) === isMember;
    },
    resultForNull: ({ length }) => (length === 0 ? !isMember : undefined),
  }) as const satisfies Operator;

const nullTest = (meaning: string, isNull: boolean) =>
  ({
    kinds: EVERY,
    isNullTest: true,
    takes: 'nothing',
    meaning,
    test: () => () => !isNull,
    resultForNull: () => isNull,
  }) as const satisfies Operator;

/** Creates a test of texts. @param testFor creates the one for an operand */
const textTest = (meaning: string, testFor: (operand: string) => (text: string) => boolean) =>
  ({
    kinds: TEXT,
    takes: 'text',
    meaning,
    test: ([operand]) => {
      const holds = testFor(String(operand));
      return (value) => typeof value === 'string' && holds(value);
    },
  }) as const satisfies Operator;

/** All operators on a column, from which conditions, filters and the API document are derived. */
export const OPERATORS = {
  eq: equality('is this value', true),
  ne: equality('is not this value', false),
  gt: comparison('is greater than this value', (sign) => sign > 0),
  gte: comparison('is at least this value', (sign) => sign >= 0),
  lt: comparison('is less than this value', (sign) => sign < 0),
  lte: comparison('is at most this value', (sign) => sign <= 0),
  in: membership('is one of these', true),
  notIn: membership('is none of these', false),
  isNull: nullTest('is null (true) or is not null (false)', true),
  isNotNull: nullTest('is not null (true) or is null (false)', false),
  contains: textTest('contains this text', substringTest),
  containsIgnoreCase: {
    ...textTest('contains this text, ignoring case', substringTest),
    ignoresCase: true,
  },
  startsWith: textTest('starts with this text', (start) => (text) => text.startsWith(start)),
  endsWith: textTest('ends with this text', (end) => (text) => text.endsWith(end)),
} as const satisfies Record<string, Operator>;

type OperatorTable = typeof OPERATORS;

/** The name of an operator of conditions. */
export type OperatorName = keyof OperatorTable;

/** The operators that take this kind of operands. */
export type OperatorTaking<T extends OperandKind> = {
  [O in OperatorName]: OperatorTable[O]['takes'] extends T ? O : never;
}[OperatorName];

/** The operators that fit a kind of column, except tests for null. */
export type OperatorFitting<K extends Kind> = {
  [O in OperatorName]: OperatorTable[O] extends { readonly isNullTest: true }
    ? never
    : K extends OperatorTable[O]['kinds'][number]
      ? O
      : never;
}[OperatorName];

/** Returns an operator; undefined if there is none of that name. */
export function operatorOf(name: unknown): Operator | undefined {
  return isOperatorName(name) ? OPERATORS[name] : undefined;
}

/** Whether an operator fits a column. */
export function fits({ kinds, isNullTest }: Operator, { kind, nullable }: ColumnType): boolean {
  return kinds.includes(kind) && (nullable || !isNullTest);
}

/** Returns the operators that fit a column. */
export function operatorsOf(column: ColumnType): readonly OperatorName[] {
  return OPERATOR_NAMES.filter((name) => fits(OPERATORS[name], column));
}

/** The names of all operators, in the order of the table. */
export const OPERATOR_NAMES: readonly OperatorName[] =
  Object.keys(OPERATORS).filter(isOperatorName);

function isOperatorName(name: unknown): name is OperatorName {
  return typeof name === 'string' && Object.hasOwn(OPERATORS, name);
}

import { ConditionError } from '../errors.ts';
import type { Column, Kind, Schema, Value, ValueByKind, ValueOf } from '../schema/column.ts';
import { canonicalInteger } from '../schema/integer.ts';
import { KINDS } from '../schema/kinds.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import {
  fits,
  OPERATOR_NAMES,
  OPERATORS,
  type OperandKind,
  type Operator,
  type OperatorFitting,
  type OperatorName,
  type OperatorTaking,
  operatorOf,
} from './operators.ts';

/** A condition: plain data, so that it can be built, stored, printed and sent. */
export type Condition =
  | ColumnCondition
  | { readonly op: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly op: 'not'; readonly condition: Condition };

/** A condition on one column. */
export type ColumnCondition = { readonly column: string } & (
  | { readonly op: OperatorTaking<'nothing'> }
  | { readonly op: OperatorTaking<'value'>; readonly value: Value }
  | { readonly op: OperatorTaking<'text'>; readonly value: string }
  | { readonly op: OperatorTaking<'values'>; readonly values: readonly Value[] }
);

/** At least one condition. */
export type NonEmpty = readonly [Condition, ...Condition[]];

/** True if all conditions are true, or if there are none. */
export const and = (...conditions: readonly Condition[]): Condition => ({ op: 'and', conditions });

/** True if any condition is true; false if there are none. */
export const or = (...conditions: readonly Condition[]): Condition => ({ op: 'or', conditions });

/** True if the condition is false, and unknown if it is unknown. */
export const not = (condition: Condition): Condition => ({ op: 'not', condition });

/** Whether an operator takes this kind of operands. */
export function takes<T extends OperandKind>(op: OperatorName, kind: T): op is OperatorTaking<T> {
  const operator: Operator = OPERATORS[op];
  return operator.takes === kind;
}

/**
 * Returns the operands of a condition on a column, with canonical integers. Operators that take
 * nothing ignore them.
 */
export function operandsOf(condition: ColumnCondition): readonly Value[] {
  const { op } = condition;
  if ('values' in condition && takes(op, 'values')) return condition.values.map(storedForm);
  return 'value' in condition ? [storedForm(condition.value)] : [];
}

function storedForm(operand: Value): Value {
  const isInteger = typeof operand === 'number' || typeof operand === 'bigint';
  return isInteger ? canonicalInteger(operand) : operand;
}

/** Creates a condition on a column. @throws ConditionError for a missing operand or a non-string */
export function conditionOn(
  column: string,
  op: OperatorName,
  operands: readonly (Value | null | undefined)[],
): ColumnCondition {
  const on = `"${op}" on column "${column}"`;
  const requireValue = (operand: Value | null = null): Value => {
    if (operand === null) throw new ConditionError(`${on} takes a value`);
    return operand;
  };
  if (takes(op, 'nothing')) return { op, column };
  if (takes(op, 'values')) {
    return { op, column, values: operands.map((each) => requireValue(each)) };
  }
  if (!takes(op, 'text')) return { op, column, value: requireValue(operands[0]) };
  const text = requireValue(operands[0]);
  if (typeof text === 'string') return { op, column, value: text };
  throw new ConditionError(`${on} takes a text`);
}

interface Arguments<V> {
  readonly nothing: readonly [];
  readonly value: readonly [value: V];
  readonly text: readonly [text: string];
  readonly values: readonly [values: readonly V[]];
}

type Methods<O extends OperatorName, V> = {
  readonly [N in O]: (...operands: Arguments<V>[(typeof OPERATORS)[N]['takes']]) => Condition;
};

/** The methods of columns by kind. An interface, so that generic schemas can be indexed with it. */
interface MethodsByKind extends AllMethods {}
type AllMethods = { readonly [K in Kind]: Methods<OperatorFitting<K>, ValueByKind[K]> };

type NullTestsOf<C extends Column> =
  null extends ValueOf<C> ? Methods<'isNull' | 'isNotNull', Value> : unknown;

/** The columns that a `where` callback receives, each with the operators that fit it. */
export type Columns<S extends Schema> = {
  readonly [K in keyof S]: MethodsByKind[S[K]['kind']] & NullTestsOf<S[K]>;
};

/** Creates the columns, with all operators, of a schema. */
export function columnsOf<S extends Schema>({ columns }: ResolvedSchema): Columns<S> {
  const entries = [...columns.keys()].map((column) => {
    const methods = OPERATOR_NAMES.map((op) => {
      const ofValue = (...operands: readonly Value[]) => conditionOn(column, op, operands);
      const ofValues = (values: readonly Value[]) => conditionOn(column, op, values);
      return [op, takes(op, 'values') ? ofValues : ofValue] as const;
    });
    return [column, Object.fromEntries(methods)] as const;
  });
  // At run time, every column has all operators. Its type shows only the operators that fit.
  return Object.fromEntries(entries) as Columns<S>;
}

type ByName = ReadonlyMap<string, Column>;

/** Checks untrusted conditions against the columns. @throws ConditionError */
export function checkConditions(columns: ByName, conditions: unknown, name = 'where'): void {
  if (!Array.isArray(conditions)) throw new ConditionError(`"${name}" takes a list of conditions`);
  for (const condition of conditions) check(columns, condition);
}

function check(columns: ByName, condition: unknown): void {
  if (!isObject(condition)) throw new ConditionError('a condition is an object with an "op"');
  const { op } = condition;
  if (op === 'and' || op === 'or') checkConditions(columns, condition.conditions, op);
  else if (op === 'not') check(columns, condition.condition);
  else checkColumnCondition(columns, condition);
}

function checkColumnCondition(columns: ByName, condition: Readonly<Record<string, unknown>>): void {
  const { op, column: name } = condition;
  const operator = operatorOf(op);
  if (!operator) throw new ConditionError(`there is no operator ${quoted(op)}`);
  const column = typeof name === 'string' ? columns.get(name) : undefined;
  if (!column) throw new ConditionError(`there is no column ${quoted(name)}`);
  if (!fits(operator, column)) {
    const is = operator.kinds.includes(column.kind) ? 'never null' : column.kind;
    throw new ConditionError(`"${op}" is not for column "${name}", which is ${is}`);
  }
  const { takes: kind } = operator;
  const operands =
    kind === 'values' ? condition.values : kind === 'nothing' ? [] : [condition.value];
  const on = `"${op}" on column "${name}"`;
  if (!Array.isArray(operands)) throw new ConditionError(`${on} takes a list of values`);
  const { read, requirement } = KINDS[column.kind];
  // A loop sees the holes of an array as undefined; array methods skip them.
  for (const operand of operands) {
    if (read(operand) === undefined) {
      const hint = operand === null ? ' (for null, use isNull or isNotNull)' : '';
      throw new ConditionError(`a value of ${on} ${requirement}${hint}`);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function quoted(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : `of type ${typeof name}`;
}

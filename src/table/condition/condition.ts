import type { Value } from '../schema/column.ts';
import { type OperatorName, type OperatorTaking, takes } from './operators.ts';

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
  | { readonly op: OperatorTaking<'range'>; readonly from: Value; readonly to: Value }
);

/** At least one condition. */
export type NonEmpty = readonly [Condition, ...Condition[]];

/** True if all conditions are true, or if there are none. */
export const and = (...conditions: readonly Condition[]): Condition => ({ op: 'and', conditions });

/** True if any condition is true; false if there are none. */
export const or = (...conditions: readonly Condition[]): Condition => ({ op: 'or', conditions });

/** True if the condition is false, and unknown if it is unknown. */
export const not = (condition: Condition): Condition => ({ op: 'not', condition });

/** Returns the operands of a condition on a column: only the members that its operator takes. */
export function operandsOf(condition: ColumnCondition): readonly Value[] {
  const { op } = condition;
  if ('values' in condition && takes(op, 'values')) return condition.values;
  if ('from' in condition && takes(op, 'range')) return [condition.from, condition.to];
  return 'value' in condition && !takes(op, 'nothing') ? [condition.value] : [];
}

/** Makes a condition on a column of an operator and its operands, which fit it. */
export function conditionOn(
  column: string,
  op: OperatorName,
  operands: readonly Value[],
): ColumnCondition {
  const [first = '', second = first] = operands;
  if (takes(op, 'nothing')) return { op, column };
  if (takes(op, 'values')) return { op, column, values: operands };
  if (takes(op, 'range')) return { op, column, from: first, to: second };
  if (takes(op, 'text')) return { op, column, value: String(first) };
  return { op, column, value: first };
}

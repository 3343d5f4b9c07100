import { type Condition, conditionOn, type Value } from '../../lib/table/index.ts';
import type { FilterOperator } from './field.ts';
import { conditionOnPeriods, type Period } from './period.ts';

/** What a client compares a field with: a value, or a period of time. */
export type Operand = Value | Period;

/** The value to store of what a client has sent: of a period, its beginning. */
export function storedValue(operand: Operand): Value {
  return typeof operand === 'object' ? (operand.first ?? operand.last) : operand;
}

/** Makes the condition of an operator and its operands, as clients mean it. */
export function conditionFrom(
  column: string,
  op: FilterOperator,
  operands: readonly Operand[],
): Condition {
  const periods = operands.filter((operand) => typeof operand === 'object');
  return periods.length > 0
    ? conditionOnPeriods(column, op, periods)
    : conditionOn(column, op, operands.map(storedValue));
}

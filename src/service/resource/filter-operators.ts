import { type OperatorName, type OperatorTaking, operatorsOf } from '../../lib/table/index.ts';
import type { Field } from './field.ts';

/** The operators of clients: one with two operands would need two values; two conditions do. */
export type FilterOperator = Exclude<OperatorName, OperatorTaking<'range'>>;

/** The operators that clients can use on a field. */
export function filterOperatorsOf(field: Field): readonly FilterOperator[] {
  return operatorsOf(field).filter((operator) => operator !== 'between');
}

import type { JsonSchema } from '../../../lib/json/index.ts';
import {
  type Kind,
  type OperatorName,
  type OperatorTaking,
  operatorsOf,
  takes,
} from '../../../lib/table/index.ts';
import type { Field } from '../field.ts';
import { typeSchema } from '../schema.ts';

/** The operators of clients: one with two operands would need two values; two conditions do. */
export type FilterOperator = Exclude<OperatorName, OperatorTaking<'range'>>;

/** The operators that clients can use on a field. */
export function filterOperatorsOf(field: Field): readonly FilterOperator[] {
  return operatorsOf(field).filter((operator) => operator !== 'between');
}

/** The schema of what clients give an operator on a field of a kind. */
export function operandSchema(operator: FilterOperator, kind: Kind): JsonSchema {
  if (takes(operator, 'nothing')) return typeSchema('boolean');
  return takes(operator, 'values') ? { type: 'array', items: typeSchema(kind) } : typeSchema(kind);
}

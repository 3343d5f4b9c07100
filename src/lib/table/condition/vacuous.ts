import { type Condition, operandsOf } from './condition.ts';
import { OPERATORS, type Operator } from './operators.ts';

/**
 * Whether a condition holds whatever a row contains, as `contains` of an empty text does: it was
 * hardly meant, and deletes everything. The operands decide, not the column: null is passed over.
 */
export function isVacuous(condition: Condition): boolean {
  return constantOf(condition) === true;
}

/** Folds a condition to what it is of every row; undefined if that depends on the row. */
function constantOf(condition: Condition): boolean | undefined {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const decisive = condition.op === 'or';
      const constants = condition.conditions.map(constantOf);
      if (constants.includes(decisive)) return decisive;
      return constants.includes(undefined) ? undefined : !decisive;
    }
    case 'not': {
      const constant = constantOf(condition.condition);
      return constant === undefined ? undefined : !constant;
    }
    default: {
      const { ofAny }: Operator = OPERATORS[condition.op];
      return ofAny?.(operandsOf(condition));
    }
  }
}

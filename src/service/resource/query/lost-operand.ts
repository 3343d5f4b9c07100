import type { Condition, Value } from '../../../lib/table/index.ts';
import { isBlank } from '../value-kind.ts';

/**
 * Finds an operand that is probably a value that was lost on the way: a blank text, an empty array,
 * or an `and`, `or`, `not` or object without a condition (api.md: "Several items at once"). Returns
 * the rule that it violates; undefined if there is none.
 * @param allowsBlankEquality whether `eq` and `ne` may compare with a blank text
 */
export function findLostOperand(
  condition: Condition,
  allowsBlankEquality: boolean,
): string | undefined {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const { conditions } = condition;
      if (conditions.length === 0) return 'must have a condition in each and, or, not and object';
      const rules = conditions.map((each) => findLostOperand(each, allowsBlankEquality));
      return rules.find((rule) => rule !== undefined);
    }
    case 'not':
      return findLostOperand(condition.condition, allowsBlankEquality);
  }
  const { column, op } = condition;
  const operands =
    'values' in condition ? condition.values : 'value' in condition && [condition.value];
  if (operands === false) return undefined;
  if (operands.length === 0) return `must not have an empty array for ${column}.${op}`;
  const mayBeBlank = allowsBlankEquality && (op === 'eq' || op === 'ne');
  if (mayBeBlank || !operands.some(isBlankText)) return undefined;
  return `must not have a blank text for ${column}.${op}`;
}

function isBlankText(operand: Value): boolean {
  return typeof operand === 'string' && isBlank(operand);
}

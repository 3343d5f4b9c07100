import { type Condition, operandsOf } from '../condition/condition.ts';
import type { Value } from '../schema/column.ts';

/** Formats a condition as one would write it in code. */
export function conditionText(condition: Condition): string {
  switch (condition.op) {
    case 'and':
    case 'or':
      return `${condition.op}(${condition.conditions.map(conditionText).join(', ')})`;
    case 'not':
      return `not(${conditionText(condition.condition)})`;
    default: {
      const { op, column } = condition;
      const operands = operandsOf(condition).map(valueText).join(', ');
      return `${column}.${op}(${'values' in condition ? `[${operands}]` : operands})`;
    }
  }
}

function valueText(value: Value): string {
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(value);
}

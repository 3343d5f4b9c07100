import type { Condition } from '../condition/condition.ts';
import type { Value } from '../schema/column.ts';

/** Formats a condition as one would write it in code. */
export function conditionText(condition: Condition): string {
  switch (condition.op) {
    case 'and':
    case 'or':
      return `${condition.op}(${condition.conditions.map(conditionText).join(', ')})`;
    case 'not':
      return `not(${conditionText(condition.condition)})`;
    case 'isNull':
    case 'isNotNull':
      return `${condition.column}.${condition.op}()`;
    case 'in':
    case 'notIn':
      return `${condition.column}.${condition.op}([${condition.values.map(valueText).join(', ')}])`;
    case 'between': {
      const [from, to] = [condition.from, condition.to].map(valueText);
      return `${condition.column}.between(${from}, ${to})`;
    }
    default:
      return `${condition.column}.${condition.op}(${valueText(condition.value)})`;
  }
}

function valueText(value: Value): string {
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(value);
}

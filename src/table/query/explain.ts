import type { Condition } from '../condition/condition.ts';
import type { Value } from '../schema/column.ts';
import type { Path } from './access-path.ts';
import type { Plan } from './plan.ts';

/** How a query would run. */
export interface Explanation {
  /** The access path. */
  readonly access: 'full scan' | 'full index, in order' | Path['kind'];
  /** The columns whose indexes are used. */
  readonly indexes: readonly string[];
  /** The estimated number of rows examined. */
  readonly candidates: number;
  /** The number of rows in the table. */
  readonly rows: number;
  /** The conditions to check on each of them, all of which must be true. */
  readonly checks: readonly string[];
  /** What gives the order: the access path, or a sort. */
  readonly order: 'by id' | 'by index' | 'sorted';
}

/** Explains a plan. */
export function explanationOf(
  rows: number,
  conditions: readonly Condition[],
  { path, orderedBy, candidates, order }: Plan,
): Explanation {
  return {
    access: path?.kind ?? (order === 'index' ? 'full index, in order' : 'full scan'),
    indexes: [...new Set([...(path?.columns ?? []), ...orderedBy])],
    candidates,
    rows,
    checks: conditions.map(conditionText),
    order: order === 'sort' ? 'sorted' : order === 'index' ? 'by index' : 'by id',
  };
}

/** Formats an explanation as lines of text. */
export function explanationText(explanation: Explanation): string {
  const { access, indexes, candidates, rows, checks, order } = explanation;
  return [
    `access: ${[access, ...indexes].join(' ')}`,
    `candidates: about ${candidates} of ${rows} rows`,
    `checked row by row: ${checks.join(' and ') || 'nothing'}`,
    `order: ${order}`,
  ].join('\n');
}

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

import type { Condition } from '../condition/condition.ts';
import type { Value } from '../schema/column.ts';
import type { Path } from './access-path.ts';
import type { Plan } from './plan.ts';

/** How a query will be run. */
export interface Explanation {
  /** How rows are reached. */
  readonly access: 'full scan' | 'full index, in order' | Path['kind'];
  /** The columns whose index is used. */
  readonly indexes: readonly string[];
  /** About how many rows are looked at, of how many there are. */
  readonly candidates: number;
  readonly rows: number;
  /** What is then checked row by row; all of it has to hold. */
  readonly checks: readonly string[];
  /** Where the order comes from: rows are reached in it, or sorted. */
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

/** An explanation as lines of text. */
export function explanationText(explanation: Explanation): string {
  const { access, indexes, candidates, rows, checks, order } = explanation;
  return [
    `access: ${[access, ...indexes].join(' ')}`,
    `candidates: about ${candidates} of ${rows} rows`,
    `checked row by row: ${checks.join(' and ') || 'nothing'}`,
    `order: ${order}`,
  ].join('\n');
}

/** A condition as a person would write it. */
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

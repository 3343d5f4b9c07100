import type { Condition } from './condition.ts';

/** Most conditions are so cheap that several of them make one unit of work. */
const CONDITIONS_PER_UNIT = 4;

/**
 * A pattern can take time up to the product of its length and the text's: up to a millisecond.
 */
const UNITS_PER_PATTERN = 8;

/** The most units of work that it takes to evaluate conditions on a row. */
export function costOf(conditions: readonly Condition[]): number {
  return Math.ceil(total(conditions));
}

function total(conditions: readonly Condition[]): number {
  let units = 0;
  for (const condition of conditions) {
    const { op } = condition;
    if (op === 'and' || op === 'or') units += total(condition.conditions);
    else if (op === 'not') units += total([condition.condition]);
    else units += op === 'like' ? UNITS_PER_PATTERN : 1 / CONDITIONS_PER_UNIT;
  }
  return units;
}

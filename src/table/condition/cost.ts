import type { Condition } from './condition.ts';

/** The number of cheap conditions that make one unit of work. */
const CONDITIONS_PER_UNIT = 4;

/**
 * The units of work of a `like` pattern. Its time can be proportional to the product of the
 * lengths of pattern and text: up to a millisecond.
 */
const UNITS_PER_PATTERN = 8;

/** Returns the maximum units of work to evaluate conditions on a row. */
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

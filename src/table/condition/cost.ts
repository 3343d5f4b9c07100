import type { Condition } from './condition.ts';

/** Most conditions are so cheap that several of them make one unit of work. */
const CONDITIONS_PER_PIECE = 4;

/**
 * A pattern can take time up to the product of its length and the text's: up to a millisecond.
 */
const PIECES_PER_PATTERN = 8;

/** The most units of work that it takes to evaluate conditions on a row. */
export function costOf(conditions: readonly Condition[]): number {
  return Math.ceil(total(conditions));
}

function total(conditions: readonly Condition[]): number {
  let pieces = 0;
  for (const condition of conditions) {
    const { op } = condition;
    if (op === 'and' || op === 'or') pieces += total(condition.conditions);
    else if (op === 'not') pieces += total([condition.condition]);
    else pieces += op === 'like' ? PIECES_PER_PATTERN : 1 / CONDITIONS_PER_PIECE;
  }
  return pieces;
}

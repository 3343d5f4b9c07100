import type { Value } from '../schema/column.ts';
import type { ColumnCondition } from './condition.ts';

/** An end of an interval. Null is below all values. */
export interface Bound {
  readonly value: Value | null;
  readonly included: boolean;
}

/** An interval of values. Without `to`, it has no upper bound. */
export interface Interval {
  readonly from: Bound;
  readonly to?: Bound;
}

const ABOVE_NULL: Bound = { value: null, included: false };

/**
 * Returns disjoint intervals that hold exactly the values for which a condition is true; undefined
 * for operators that intervals do not serve.
 */
export function intervalsOf(condition: ColumnCondition): readonly Interval[] | undefined {
  switch (condition.op) {
    case 'eq':
      return [exactly(condition.value)];
    case 'in':
      return [...new Set(condition.values)].map(exactly);
    case 'isNull':
      return [exactly(null)];
    case 'isNotNull':
      return [{ from: ABOVE_NULL }];
    case 'gt':
    case 'gte':
      return [{ from: { value: condition.value, included: condition.op === 'gte' } }];
    case 'lt':
    case 'lte':
      return [
        { from: ABOVE_NULL, to: { value: condition.value, included: condition.op === 'lte' } },
      ];
    case 'between':
      return [
        {
          from: { value: condition.from, included: true },
          to: { value: condition.to, included: true },
        },
      ];
    case 'startsWith':
      return [prefixInterval(condition.value)];
    default:
      return undefined;
  }
}

function exactly(value: Value | null): Interval {
  const bound = { value, included: true };
  return { from: bound, to: bound };
}

function prefixInterval(prefix: string): Interval {
  const from = { value: prefix, included: true };
  const end = successor(prefix);
  return end === undefined ? { from } : { from, to: { value: end, included: false } };
}

/**
 * Returns the smallest text, by code points, above all texts with a prefix; undefined if there is
 * none.
 */
function successor(prefix: string): string | undefined {
  const codePoints = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === 0x10ffff) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return undefined;
  // Texts have no lone surrogates, so U+E000 follows U+D7FF.
  return String.fromCodePoint(...codePoints, last === 0xd7ff ? 0xe000 : last + 1);
}

import type { Value } from '../schema/column.ts';

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

/** Makes an interval that ends or begins at a value. It excludes null. */
type OfValue = (value: Value) => Interval;

export const above = (value: Value | null): Interval => ({ from: { value, included: false } });
export const atLeast: OfValue = (value) => ({ from: { value, included: true } });
export const below: OfValue = (value) => ({ ...above(null), to: { value, included: false } });
export const upTo: OfValue = (value) => ({ ...above(null), to: { value, included: true } });

/** Returns the interval of one value. */
export function exactly(value: Value | null): Interval {
  return { from: { value, included: true }, to: { value, included: true } };
}

/** Returns the interval of the texts with a prefix. */
export function startingWith(prefix: string): Interval {
  const end = successor(prefix);
  return end === undefined ? atLeast(prefix) : { ...below(end), ...atLeast(prefix) };
}

/** Returns the least text, by code points, above all texts with a prefix, if there is one. */
function successor(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.at(-1) === '\u{10ffff}') characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  // Texts have no lone surrogates, so U+E000 follows U+D7FF.
  return characters.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}

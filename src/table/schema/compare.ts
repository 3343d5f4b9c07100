import { compareText } from '../text/code-points.ts';
import type { Kind, Value } from './column.ts';

/** Compares two items: negative if `a` comes first, positive if `b` does. */
export type Compare<T> = (a: T, b: T) => number;

/** Returns the comparator of the values of a kind. */
export function comparatorOf(kind: Kind): Compare<Value> {
  if (kind === 'text') return (a, b) => compareText(String(a), String(b));
  return (a, b) => (a === b ? 0 : a < b ? -1 : 1);
}

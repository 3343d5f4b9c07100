import type { Compare } from '../schema/kinds.ts';
import type { Pace } from './pace.ts';

/** The maximum number of items that are sorted at once. */
export const RUN_LENGTH = 512;

/** Their maximum bytes: a millisecond of work, even if texts differ at their ends alone. */
const RUN_BYTES = 256 * 1024;

/**
 * Sorts items in steps: sorts runs of neighbours, and merges the runs pair by pair.
 * @param bytesOf the bytes that a comparison of an item may look at
 * @param wanted how many of the first items are needed
 * @returns the first items: at least those wanted, if there are as many
 */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: Compare<T>,
  bytesOf: (item: T) => number,
  pace: Pace,
  wanted = items.length,
): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; ) {
    let [end, bytes] = [start, 0];
    for (; end < items.length && end - start < RUN_LENGTH && bytes < RUN_BYTES; end++) {
      bytes += bytesOf(items[end] as T);
    }
    runs.push(items.slice(start, end).sort(compare));
    start = end;
    if (pace.isOver()) yield;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const merge = { a: runs[i] ?? [], b: runs[i + 1] ?? [], taken: 0, result: [] };
      while (continueMerge(merge, compare, bytesOf, wanted, pace)) yield;
      merged.push(merge.result);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Two sorted arrays, and the first of their items in order. */
interface Merge<T> {
  readonly a: readonly T[];
  readonly b: readonly T[];
  readonly result: T[];
  /** The number of items of `a` in the result. */
  taken: number;
}

/** Merges items until the step is over. Returns false when the result has those wanted. */
function continueMerge<T>(
  merge: Merge<T>,
  compare: Compare<T>,
  bytesOf: (item: T) => number,
  wanted: number,
  pace: Pace,
): boolean {
  const { a, b, result } = merge;
  while (result.length < wanted) {
    const [x, y] = [a[merge.taken], b[result.length - merge.taken]];
    const isFirst = x !== undefined && (y === undefined || compare(x, y) <= 0);
    const next = isFirst ? x : y;
    if (next === undefined) return false;
    if (isFirst) merge.taken++;
    result.push(next);
    if (pace.count(bytesOf(next))) return true;
  }
  return false;
}

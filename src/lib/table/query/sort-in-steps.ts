import type { Compare } from '../schema/kinds.ts';
import type { Pace } from './pace.ts';

/** The maximum number of items that are sorted at once. */
const RUN_LENGTH = 512;

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
  let run: T[] = [];
  let bytes = 0;
  for (const item of items) {
    run.push(item);
    bytes += bytesOf(item);
    if (run.length < RUN_LENGTH && bytes < RUN_BYTES) continue;
    runs.push(run.sort(compare));
    [run, bytes] = [[], 0];
    if (pace.isOver()) yield;
  }
  runs.push(run.sort(compare));
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const merge: Merge<T> = { a: runs[i] ?? [], b: runs[i + 1] ?? [], taken: 0, result: [] };
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
    if (pace.spend(bytesOf(next))) return true;
  }
  return false;
}

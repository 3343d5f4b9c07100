import type { Value } from '../schema/column.ts';
import type { Compare } from '../schema/kinds.ts';
import type { Entry } from '../state/chunk.ts';
import { entriesOf } from './matches.ts';
import { entryComparator, type Group, type Key } from './order.ts';
import type { Pace } from './pace.ts';

/** The number of entries that are sorted at once. If fewer are wanted, there is no merge. */
const RUN_LENGTH = 512;

/** The number of entries that are merged before the clock is read. */
const MERGED_AT_ONCE = 128;

/** If few entries are wanted, twice as many and these are collected before each sort. */
const SPARE = 32;

/** An entry, and its value of the first column of the order. */
interface Candidate {
  readonly value: Value | null;
  readonly entry: Entry;
}

function mostOfFew(wanted: number): number {
  return 2 * wanted + SPARE;
}

/** How many of some rows are collected at a time to find the first of them in order, at most. */
export function rowsCollectedFor(wanted: number, rows: number): number {
  return wanted < RUN_LENGTH ? Math.min(rows, mostOfFew(wanted)) : rows;
}

/**
 * Sorts the rows of a group in steps. If few are wanted, it keeps the first of the rows that it has
 * read so far. Otherwise it sorts runs of rows, and merges them.
 * @param key the first column of the order @param others the columns that order ties
 * @param wanted how many entries are needed
 * @returns the first entries: at least those wanted, if there are as many
 */
export function* sorted(
  { intervals }: Group,
  key: Key,
  others: readonly Key[],
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly Candidate[]> {
  const { column, divide, isReversed, compare: compareValues } = key;
  const compareTied = entryComparator(others);
  const compare: Compare<Candidate> = (a, b) =>
    compareValues(a.value, b.value) || compareTied(a.entry, b.entry);
  const isFew = wanted < RUN_LENGTH;
  const maxLength = isFew ? mostOfFew(wanted) : RUN_LENGTH;
  const runs: Candidate[][] = [];
  let run: Candidate[] = [];
  /** The last of the wanted entries so far, if few are wanted. Entries after it are not needed. */
  let bound: Candidate | undefined;
  const endRun = () => {
    run.sort(compare);
    if (isFew) {
      run.length = Math.min(run.length, wanted);
      bound = run[wanted - 1];
    } else {
      runs.push(run);
      run = [];
    }
  };
  for (const { first, last, parts } of intervals) {
    // Intervals are in the order of their first values, so if this one comes after the bound, all
    // others do. One with several values excludes its first value. Without `divide`, there is one
    // interval without values.
    const order = bound && divide ? compareValues(first, bound.value) : -1;
    if (order > 0 || (order === 0 && first !== last)) break;
    for (const part of parts) {
      const entries = entriesOf(part);
      // Values mostly ascend with the ids. So in a descending order, the first rows come last here.
      for (const entry of isReversed ? entries.toReversed() : entries) {
        const value = entry.row[column] ?? null;
        if (bound) {
          const toBound = compareValues(value, bound.value);
          if (toBound > 0 || (toBound === 0 && compareTied(entry, bound.entry) > 0)) continue;
        }
        run.push({ value, entry });
        if (run.length >= maxLength) endRun();
      }
      if (pace.isOver()) yield;
    }
  }
  endRun();
  return isFew ? run : yield* mergeAll(runs, compare, wanted, pace);
}

/** Merges runs pair by pair, each pair until it has the wanted elements, or a few more. */
function* mergeAll<T>(
  runs: readonly (readonly T[])[],
  compare: Compare<T>,
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly T[]> {
  let left = runs;
  while (left.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < left.length; i += 2) {
      const merge = new Merge(left[i] ?? [], left[i + 1] ?? [], compare);
      while (merge.result.length < wanted && merge.next(MERGED_AT_ONCE)) {
        if (pace.isOver()) yield;
      }
      merged.push(merge.result);
    }
    left = merged;
  }
  return left[0] ?? [];
}

/** Merges two sorted arrays, some elements at a time. */
class Merge<T> {
  readonly result: T[] = [];
  readonly #a: readonly T[];
  readonly #b: readonly T[];
  readonly #compare: Compare<T>;
  /** The number of elements of `a` in the result. */
  #taken = 0;

  constructor(a: readonly T[], b: readonly T[], compare: Compare<T>) {
    this.#a = a;
    this.#b = b;
    this.#compare = compare;
  }

  /** Adds up to `count` elements to the result. Returns false at the end. */
  next(count: number): boolean {
    const { result } = this;
    const end = result.length + count;
    while (result.length < end) {
      const [x, y] = [this.#a[this.#taken], this.#b[result.length - this.#taken]];
      const isFirst = x !== undefined && (y === undefined || this.#compare(x, y) < 0);
      const next = isFirst ? x : y;
      if (next === undefined) return false;
      if (isFirst) this.#taken++;
      result.push(next);
    }
    return true;
  }
}

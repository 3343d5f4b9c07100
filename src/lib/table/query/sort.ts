import type { Value } from '../schema/column.ts';
import type { Compare } from '../schema/kinds.ts';
import type { Entry } from '../state/entry.ts';
import { entriesOf } from './matches.ts';
import { entryComparator, type Group, type Key } from './order.ts';
import type { Pace } from './pace.ts';
import { sortInSteps } from './sort-in-steps.ts';

/** If fewer rows are wanted, the first ones are kept, and the others are not collected. */
const FEW = 512;

/** If few rows are wanted, twice as many and these are collected before each sort. */
const SPARE = 32;

/** An entry, and its value of the first column of the order. */
interface Candidate {
  readonly value: Value | null;
  readonly entry: Entry;
}

/** How many of some rows are collected at a time to find the first of them in order, at most. */
export function rowsCollectedFor(wanted: number, rows: number): number {
  return wanted < FEW ? Math.min(rows, 2 * wanted + SPARE) : rows;
}

/**
 * Sorts the rows of a group in steps. If few are wanted, it keeps the first of the rows that it has
 * read so far.
 * @param key the first column of the order @param others the columns that order ties
 * @param wanted how many entries are needed
 * @returns the first entries: at least those wanted, if there are as many
 */
export function* sorted(
  { intervals, count }: Group,
  key: Key,
  others: readonly Key[],
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly Candidate[]> {
  const { read, isReversed, compare: compareValues } = key;
  const compareTied = entryComparator(others);
  const compare: Compare<Candidate> = (a, b) =>
    compareValues(a.value, b.value) || compareTied(a.entry, b.entry);
  const most = rowsCollectedFor(wanted, count);
  const first = (candidates: readonly Candidate[]) =>
    sortInSteps(candidates, compare, ({ entry }) => entry.bytes, pace, wanted);
  let candidates: Candidate[] = [];
  /** The last of the wanted entries so far, if few are wanted. Entries after it are not needed. */
  let bound: Candidate | undefined;
  for (const interval of intervals) {
    // Intervals are in the order of their first values, so if this one comes after the bound, all
    // others do. One with several values excludes its first value.
    const order = bound ? compareValues(interval.first, bound.value) : -1;
    if (order > 0 || (order === 0 && interval.first !== interval.last)) break;
    for (const matches of interval.matches) {
      const entries = entriesOf(matches);
      // Values mostly ascend with the ids. So in a descending order, the first rows come last here.
      for (const entry of isReversed ? entries.toReversed() : entries) {
        const candidate = { value: read(entry), entry };
        if (pace.spend(entry.bytes)) yield;
        if (bound && compare(candidate, bound) > 0) continue;
        candidates.push(candidate);
        if (candidates.length < most || most >= count) continue;
        candidates = (yield* first(candidates)).slice(0, wanted);
        bound = candidates[wanted - 1];
      }
    }
  }
  return yield* first(candidates);
}

import type { Compare } from '../schema/kinds.ts';
import type { Entry } from '../state/chunk.ts';
import { entriesOf } from './matches.ts';
import { entryComparator, type Group, type Interval, isOneValue, type Key } from './order.ts';
import type { Pace } from './pace.ts';

/** The number of entries that are sorted at once. */
const RUN = 512;

/** The entries beyond those wanted that are collected before they are sorted. */
const SPARE = 32;

/**
 * Sorts the rows of a group in steps: by runs, which are then merged.
 * @param wanted how many entries are needed
 * @returns the first entries: at least those wanted, if there are as many
 */
export function* sorted(
  { intervals }: Group,
  keys: readonly Key[],
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly Entry[]> {
  const compare = entryComparator(keys);
  const isFew = wanted < RUN;
  const runs: Entry[][] = [];
  let run: Entry[] = [];
  /** Of few wanted entries, the last one so far. Entries after it are not needed. */
  let bound: Entry | undefined;
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
  for (const interval of intervals) {
    if (bound && comesAfter(interval, bound, keys)) break;
    for (const part of interval.parts) {
      for (const entry of entriesOf(part)) {
        if (!bound || compare(entry, bound) < 0) run.push(entry);
      }
      if (run.length >= (isFew ? wanted + SPARE : RUN)) endRun();
      if (pace.isOver()) yield;
    }
  }
  endRun();
  return isFew ? run : yield* mergeAll(runs, compare, wanted, pace);
}

/** Whether all rows of an interval come after an entry. */
function comesAfter(interval: Interval, { row }: Entry, [key]: readonly Key[]): boolean {
  if (!key?.divide) return false;
  const order = key.compare(interval.first, row[key.column] ?? null);
  return order > 0 || (order === 0 && !isOneValue(interval));
}

/** Merges runs pair by pair. Each result has at most the wanted entries. */
function* mergeAll(
  runs: readonly (readonly Entry[])[],
  compare: Compare<Entry>,
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly Entry[]> {
  let left = runs;
  while (left.length > 1) {
    const merged: (readonly Entry[])[] = [];
    for (let i = 0; i < left.length; i += 2) {
      merged.push(yield* merge(left[i] ?? [], left[i + 1] ?? [], compare, wanted, pace));
    }
    left = merged;
  }
  return left[0] ?? [];
}

function* merge(
  a: readonly Entry[],
  b: readonly Entry[],
  compare: Compare<Entry>,
  wanted: number,
  pace: Pace,
): Generator<undefined, readonly Entry[]> {
  const merged: Entry[] = [];
  let [i, j] = [0, 0];
  while (merged.length < wanted) {
    const [x, y] = [a[i], b[j]];
    if (x && (!y || compare(x, y) < 0)) {
      merged.push(x);
      i++;
    } else if (y) {
      merged.push(y);
      j++;
    } else break;
    if (pace.count()) yield;
  }
  return merged;
}

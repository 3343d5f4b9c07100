import type { Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { type Entry, valueReader } from '../state/entry.ts';
import { countIndexes, intersect } from '../state/mask.ts';
import type { ChunkMatches } from './matches.ts';
import type { Pace } from './pace.ts';
import type { Order } from './search-options.ts';
import { sortInSteps } from './sort-in-steps.ts';

/** The work to divide the rows of a chunk, which derives sections at first. */
const DIVISION_BYTES = 16 * 1024;

/** The work to compare two intervals. */
const INTERVAL_BYTES = 256;

/** A column to order by, or its case foldings. */
export interface Key {
  readonly read: (entry: Entry) => Value | null;
  /** Compares values by the direction of the order. */
  readonly compare: Compare<Value | null>;
  readonly isReversed: boolean;
  /** Divides the matching rows of a chunk; undefined if they cannot be divided. */
  readonly divide: (matches: ChunkMatches) => readonly Interval[] | undefined;
}

/** Rows whose values are all one value, or are between two values, both exclusive. */
export interface Interval {
  readonly first: Value | null;
  readonly last: Value | null;
  /** In ascending order of id. */
  readonly matches: ChunkMatches[];
}

/** Intervals that overlap, in the order of their first values. All rows come before later groups. */
export interface Group {
  readonly intervals: readonly Interval[];
  /** The number of rows. */
  readonly count: number;
  /** Whether all rows have the same value. */
  readonly isTied: boolean;
}

/** Creates the key of a checked order. */
export function keyOf(schema: ResolvedSchema, order: Required<Order>): Key {
  const { column, direction, ignoreCase } = order;
  const { kind } = columnOf(schema, column);
  const ascending = comparatorOf(kind);
  const isReversed = direction === 'desc';
  const compare: typeof ascending = isReversed ? (a, b) => ascending(b, a) : ascending;
  const divide: Key['divide'] = ({ chunk, rows }) => {
    // Sections have texts, not their foldings.
    if (ignoreCase) return undefined;
    return chunk.sectionsOf(column, kind)?.flatMap((section) => {
      const common = rows.slice();
      intersect(common, section.rows);
      const count = countIndexes(common);
      if (count === 0) return [];
      const [first, last] = isReversed
        ? [section.last, section.first]
        : [section.first, section.last];
      return [{ first, last, matches: [{ chunk, rows: common, count }] }];
    });
  };
  return { read: valueReader(schema, column, ignoreCase), compare, isReversed, divide };
}

/** Whether all rows of an interval have the same value. */
function isOneValue({ first, last }: Interval): boolean {
  return first === last;
}

/** Divides matching rows into groups, in steps. So a page needs to sort its own groups only. */
export function* groupsOf(
  found: readonly ChunkMatches[],
  { compare, divide }: Key,
  pace: Pace,
): Generator<undefined, Iterable<Group>> {
  const intervals: Interval[] = [];
  const byValue = new Map<Value | null, Interval>();
  for (const matches of found) {
    const divided = divide(matches);
    if (!divided) {
      // One chunk that cannot be divided makes all rows one group, of values that are not known.
      const all = { first: null, last: null, matches: [...found] };
      return [{ ...groupOf([all]), isTied: false }];
    }
    for (const interval of divided) {
      const known = isOneValue(interval) ? byValue.get(interval.first) : undefined;
      if (known) known.matches.push(...interval.matches);
      else intervals.push(interval);
      if (isOneValue(interval) && !known) byValue.set(interval.first, interval);
    }
    if (pace.spend(DIVISION_BYTES)) yield;
  }
  // An interval excludes its ends, so the rows that have its first value come before it.
  const compareIntervals: Compare<Interval> = (a, b) =>
    compare(a.first, b.first) || Number(isOneValue(b)) - Number(isOneValue(a));
  const sorted = yield* sortInSteps(intervals, compareIntervals, () => INTERVAL_BYTES, pace);
  return joinOverlapping(sorted, compare);
}

function* joinOverlapping(
  intervals: readonly Interval[],
  compare: Compare<Value | null>,
): Generator<Group, void> {
  let overlapping: Interval[] = [];
  let last: Value | null = null;
  for (const interval of intervals) {
    const isAfter = overlapping.length > 0 && compare(interval.first, last) >= 0;
    if (isAfter) {
      yield groupOf(overlapping);
      overlapping = [];
    }
    if (overlapping.length === 0 || compare(interval.last, last) > 0) last = interval.last;
    overlapping.push(interval);
  }
  if (overlapping.length > 0) yield groupOf(overlapping);
}

function groupOf(intervals: readonly Interval[]): Group {
  let count = 0;
  for (const { matches } of intervals) for (const each of matches) count += each.count;
  const [interval, other] = intervals;
  return { intervals, count, isTied: !other && interval !== undefined && isOneValue(interval) };
}

/** Returns a comparator of entries by keys. Entries that tie are in ascending order of id. */
export function entryComparator([key, ...others]: readonly Key[]): Compare<Entry> {
  if (!key) return (a, b) => (a.id < b.id ? -1 : Number(a.id !== b.id));
  const { read, compare } = key;
  const compareTied = entryComparator(others);
  return (a, b) => compare(read(a), read(b)) || compareTied(a, b);
}

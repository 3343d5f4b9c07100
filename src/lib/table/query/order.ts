import type { Value } from '../schema/column.ts';
import { type Compare, comparatorOf, nullsFirst } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Entry } from '../state/chunk.ts';
import { countSlots, intersection } from '../state/mask.ts';
import { compareIgnoringCase } from '../text/code-points.ts';
import type { Part } from './matches.ts';
import type { Pace } from './pace.ts';
import type { Order } from './search-options.ts';

/** A column to order by, with its comparator. */
export interface Key {
  readonly column: string;
  /** Compares values by the direction of the order. */
  readonly compare: Compare<Value | null>;
  readonly isReversed: boolean;
  /** Divides the rows of a part. Absent for case foldings, and for texts with a signature. */
  readonly divide: ((part: Part) => readonly Interval[]) | undefined;
}

/** Rows whose values are all one value, or are between two values, both exclusive. */
export interface Interval {
  readonly first: Value | null;
  readonly last: Value | null;
  /** In ascending order of id. */
  readonly parts: Part[];
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
  const { kind, index } = columnOf(schema, column);
  const ascending: Compare<Value | null> = ignoreCase
    ? nullsFirst((a, b) => compareIgnoringCase(String(a), String(b)))
    : comparatorOf(kind);
  const isReversed = direction === 'desc';
  const compare: typeof ascending = isReversed ? (a, b) => ascending(b, a) : ascending;
  if (ignoreCase || index === 'substring') {
    return { column, compare, isReversed, divide: undefined };
  }
  const divide = ({ chunk, rows }: Part): readonly Interval[] =>
    chunk.sectionsOf(column, ascending).flatMap((section) => {
      const common = intersection(section.rows, rows);
      const count = countSlots(common);
      if (count === 0) return [];
      const [first, last] = isReversed
        ? [section.last, section.first]
        : [section.first, section.last];
      return [{ first, last, parts: [{ chunk, rows: common, count }] }];
    });
  return { column, compare, isReversed, divide };
}

/** Whether all rows of an interval have the same value. */
function isOneValue({ first, last }: Interval): boolean {
  return first === last;
}

/** Divides matching rows into groups, in steps. So a page needs to sort its own groups only. */
export function* groupsOf(
  found: readonly Part[],
  { compare, divide }: Key,
  pace: Pace,
): Generator<undefined, Iterable<Group>> {
  if (!divide) {
    return [{ ...groupOf([{ first: null, last: null, parts: [...found] }]), isTied: false }];
  }
  const intervals: Interval[] = [];
  const byValue = new Map<Value | null, Interval>();
  for (const part of found) {
    for (const interval of divide(part)) {
      const known = isOneValue(interval) ? byValue.get(interval.first) : undefined;
      if (known) known.parts.push(...interval.parts);
      else intervals.push(interval);
      if (isOneValue(interval) && !known) byValue.set(interval.first, interval);
    }
    if (pace.isOver()) yield;
  }
  // An interval excludes its ends, so the rows that have its first value come before it.
  intervals.sort(
    (a, b) => compare(a.first, b.first) || Number(isOneValue(b)) - Number(isOneValue(a)),
  );
  return joinOverlapping(intervals, compare);
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
  for (const { parts } of intervals) for (const part of parts) count += part.count;
  const [interval, other] = intervals;
  return { intervals, count, isTied: !other && interval !== undefined && isOneValue(interval) };
}

/** Returns a comparator of entries by keys. Entries that tie are in ascending order of id. */
export function entryComparator([key, ...others]: readonly Key[]): Compare<Entry> {
  if (!key) return (a, b) => (a.id < b.id ? -1 : Number(a.id !== b.id));
  const { column, compare } = key;
  const compareTied = entryComparator(others);
  return (a, b) => compare(a.row[column] ?? null, b.row[column] ?? null) || compareTied(a, b);
}

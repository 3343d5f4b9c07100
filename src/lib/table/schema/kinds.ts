import { ColumnError } from '../errors.ts';
import { codePointLength, compareText } from '../text/code-points.ts';
import type { Column, Kind, Value } from './column.ts';

/** The check of the values of a kind, which exclude null. */
interface KindCheck {
  readonly accepts: (value: unknown) => value is Value;
  /** The end of an error message: "must be …". */
  readonly requirement: string;
}

const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/;

const INT64_MAX = 2n ** 63n - 1n;

/** The check of values of each kind. */
export const KINDS: Readonly<Record<Kind, KindCheck>> = {
  integer: {
    // `| 0` leaves only 32-bit signed integers unchanged.
    accepts: (value): value is number => typeof value === 'number' && value === (value | 0),
    requirement: 'must be a 32-bit signed integer',
  },
  bigint: {
    accepts: (value): value is bigint =>
      typeof value === 'bigint' && value <= INT64_MAX && value >= -INT64_MAX - 1n,
    requirement: 'must be a 64-bit signed integer, as a bigint',
  },
  boolean: {
    accepts: (value): value is boolean => typeof value === 'boolean',
    requirement: 'must be true or false',
  },
  text: {
    accepts: (value): value is string => typeof value === 'string' && value.isWellFormed(),
    requirement: 'must be text without lone surrogates',
  },
  timestamp: {
    accepts: (value): value is string =>
      typeof value === 'string' && TIMESTAMP.test(value) && isDay(value),
    requirement: 'must be a local date-time such as 2026-11-20T09:30:00.123',
  },
};

/** Whether the date exists. The pattern also accepts 30 February. */
function isDay(timestamp: string): boolean {
  const day = Number(timestamp.slice(8, 10));
  return day <= 28 || new Date(`${timestamp}Z`).getUTCDate() === day;
}

/** Returns the value to store in a column. @throws ColumnError when it does not fit */
export function checkValue(name: string, column: Column, value: unknown): Value | null {
  if (value === null) {
    if (column.nullable) return null;
    throw new ColumnError(name, 'must not be null');
  }
  const { accepts, requirement } = KINDS[column.kind];
  if (!accepts(value)) throw new ColumnError(name, requirement);
  if (typeof value !== 'string') return value === 0 ? 0 : value; // -0 is stored as 0
  const { maxLength } = column;
  if (maxLength !== undefined && value.length > maxLength && codePointLength(value) > maxLength) {
    throw new ColumnError(name, `must have at most ${maxLength} characters`);
  }
  return value;
}

/** Compares two items: negative if `a` comes first, positive if `b` does. */
export type Compare<T> = (a: T, b: T) => number;

/** Compares two values of a column. Null is the smallest. */
export function compareNulls(compare: Compare<Value>, a: Value | null, b: Value | null): number {
  return a === null || b === null ? Number(b === null) - Number(a === null) : compare(a, b);
}

/** Returns the comparator of the values of a kind. */
export function comparatorOf(kind: Kind): Compare<Value> {
  if (kind === 'text') return (a, b) => compareText(String(a), String(b));
  return (a, b) => (a === b ? 0 : a < b ? -1 : 1);
}

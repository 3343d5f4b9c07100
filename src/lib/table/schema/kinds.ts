import { ColumnError } from '../errors.ts';
import { codePointLength, compareText } from '../text/code-points.ts';
import type { Column, Kind, Value } from './column.ts';
import { canonicalInteger, integerIn } from './integer.ts';

/** Checks values of a kind other than null. */
interface KindCheck {
  /** Returns the value to store; undefined if the value is of another kind. */
  readonly read: (value: unknown) => Value | undefined;
  /** The end of an error message: "must be …". */
  readonly requirement: string;
}

const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/;

/** Creates the check of signed integers of `bits` bits. */
function integers(bits: 32 | 64): KindCheck {
  const limit = 2n ** BigInt(bits - 1);
  const [least, greatest] = [canonicalInteger(-limit), canonicalInteger(limit - 1n)];
  const hint = bits === 64 ? ', which is a bigint beyond 2^53 - 1' : '';
  return {
    read: (value) => {
      const integer = integerIn(value);
      return integer !== undefined && integer >= least && integer <= greatest ? integer : undefined;
    },
    requirement: `must be a ${bits}-bit signed integer${hint}`,
  };
}

/** The check of values of each kind. */
export const KINDS: Readonly<Record<Kind, KindCheck>> = {
  integer: integers(32),
  bigint: integers(64),
  number: {
    read: (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
      return value === 0 ? 0 : value; // -0 is 0
    },
    requirement: 'must be a finite number',
  },
  boolean: {
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    requirement: 'must be true or false',
  },
  text: {
    read: (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined),
    requirement: 'must be text without lone surrogates',
  },
  timestamp: {
    read: (value) => (typeof value === 'string' && isTimestamp(value) ? value : undefined),
    requirement: 'must be a local date-time such as 2026-11-20T09:30:00.123',
  },
  instant: {
    read: (value) => (typeof value === 'string' && isInstant(value) ? value : undefined),
    requirement: 'must be a date-time in UTC such as 2026-11-20T09:30:00.123Z',
  },
  json: {
    read: (value) => (typeof value === 'string' && JSON_START.test(value) ? value : undefined),
    requirement: 'must be the JSON text of an array or object',
  },
};

const JSON_START = /^[[{]/;

function isTimestamp(text: string): boolean {
  return TIMESTAMP.test(text) && isDay(text);
}

function isInstant(text: string): boolean {
  return text.endsWith('Z') && isTimestamp(text.slice(0, -1));
}

/** Whether the date exists. The pattern also accepts 30 February. */
function isDay(timestamp: string): boolean {
  const day = Number(timestamp.slice(8, 10));
  if (day <= 28) return true;
  const [year, month] = [Number(timestamp.slice(0, 4)), Number(timestamp.slice(5, 7))];
  if (month !== 2) return day <= 30 || [1, 3, 5, 7, 8, 10, 12].includes(month);
  return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Returns the value to store in a column. @throws ColumnError when it does not fit */
export function checkValue(name: string, column: Column, value: unknown): Value | null {
  if (value === null) {
    if (column.nullable) return null;
    throw new ColumnError(name, 'must not be null');
  }
  const { read, requirement } = KINDS[column.kind];
  const stored = read(value);
  if (stored === undefined) throw new ColumnError(name, requirement);
  const { maxLength } = column;
  if (maxLength !== undefined && typeof stored === 'string') {
    const isShort = stored.length <= maxLength || codePointLength(stored) <= maxLength;
    if (!isShort) throw new ColumnError(name, `must have at most ${maxLength} characters`);
  }
  return stored;
}

/** Compares two items: negative if `a` comes first, positive if `b` does. */
export type Compare<T> = (a: T, b: T) => number;

/** Extends a comparator to null, the smallest value. */
export function nullsFirst(compare: Compare<Value>): Compare<Value | null> {
  return (a, b) =>
    a === null || b === null ? Number(b === null) - Number(a === null) : compare(a, b);
}

/** Returns the comparator of the values of a kind. */
export function comparatorOf(kind: Kind): Compare<Value | null> {
  if (kind === 'text') return nullsFirst((a, b) => compareText(String(a), String(b)));
  return nullsFirst((a, b) => (a < b ? -1 : Number(a > b)));
}

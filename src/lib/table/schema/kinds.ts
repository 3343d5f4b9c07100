import { ColumnError } from '../errors.ts';
import { codePointLength, compareText } from '../text/code-points.ts';
import type { Column, Kind, Value } from './column.ts';
import { integerIn, integerRange } from './integer.ts';
import { TIMESTAMP_PATTERN } from './timestamp.ts';

/** How a table checks and orders values of a kind, other than null. */
interface KindRules {
  /** Returns the value to store; undefined if the value is of another kind. */
  readonly read: (value: unknown) => Value | undefined;
  /** The end of an error message: "must be …". */
  readonly requirement: string;
  /** By default, the order of `<`. */
  readonly compare?: Compare<Value>;
  /** Whether a chunk divides many values by ranges, which helps where they ascend with the ids. */
  readonly isRanged: boolean;
}

/** Creates the rules of signed integers of `bits` bits. */
function integers(bits: 32 | 64): KindRules {
  const { minimum, maximum } = integerRange(bits);
  const hint = bits === 64 ? ', which is a bigint beyond 2^53 - 1' : '';
  return {
    read: (value) => {
      const integer = integerIn(value);
      return integer !== undefined && integer >= minimum && integer <= maximum
        ? integer
        : undefined;
    },
    requirement: `must be a ${bits}-bit signed integer${hint}`,
    isRanged: true,
  };
}

const TIMESTAMP = new RegExp(TIMESTAMP_PATTERN);

/** The rules of each kind. */
export const KINDS: Readonly<Record<Kind, KindRules>> = {
  integer: integers(32),
  bigint: integers(64),
  number: {
    read: (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
      return value === 0 ? 0 : value; // -0 is 0
    },
    requirement: 'must be a finite number',
    isRanged: true,
  },
  boolean: {
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    requirement: 'must be true or false',
    isRanged: true,
  },
  text: {
    read: (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined),
    requirement: 'must be text without lone surrogates',
    compare: (a, b) => compareText(String(a), String(b)),
    isRanged: false,
  },
  timestamp: {
    read: (value) => (typeof value === 'string' && TIMESTAMP.test(value) ? value : undefined),
    requirement: 'must be a local date-time such as 2026-11-20T09:30:00.123',
    isRanged: true,
  },
  instant: {
    read: (value) => (typeof value === 'string' && isInstant(value) ? value : undefined),
    requirement: 'must be a date-time in UTC such as 2026-11-20T09:30:00.123Z',
    isRanged: true,
  },
  json: {
    read: (value) => (typeof value === 'string' && JSON_START.test(value) ? value : undefined),
    requirement: 'must be the JSON text of an array or object',
    isRanged: false,
  },
};

const JSON_START = /^[[{]/;

function isInstant(text: string): boolean {
  return text.endsWith('Z') && TIMESTAMP.test(text.slice(0, -1));
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

/** Compares two values: negative if `a` comes first, positive if `b` does. */
export type Compare<T> = (a: T, b: T) => number;

/** Returns the comparator of the values of a kind, and of null, which is the smallest. */
export function comparatorOf(kind: Kind): Compare<Value | null> {
  const { compare = (a, b) => (a < b ? -1 : Number(a > b)) } = KINDS[kind];
  return (a, b) =>
    a === null || b === null ? Number(b === null) - Number(a === null) : compare(a, b);
}

import { integerOf, type JsonSchema } from '../../lib/json/index.ts';
import {
  and,
  type Condition,
  conditionOn,
  type Kind,
  not,
  or,
  takes,
  type Value,
} from '../../lib/table/index.ts';
import { LOCAL_PATTERN, type Period, periodOf, SEED_PATTERN, SENT_PATTERN } from './date-time.ts';
import type { FilterOperator, RequestKind } from './field.ts';

/** What a client compares a field with: a value, or a period of time. */
export type Operand = Value | Period;

/** The value to store of what a client has sent: of a period, its beginning. */
export function storedValue(operand: Operand): Value {
  return typeof operand === 'object' ? (operand.first ?? operand.last) : operand;
}

/** Makes the condition of an operator and its operands, as clients mean it. */
export function conditionFrom(
  column: string,
  op: FilterOperator,
  operands: readonly Operand[],
): Condition {
  if (takes(op, 'nothing')) {
    const condition = conditionOn(column, op, []);
    return operands.includes(true) ? condition : not(condition);
  }
  const periods = operands.filter((operand) => typeof operand === 'object');
  if (periods.every(({ first, last }) => first === last)) {
    return conditionOn(column, op, operands.map(storedValue));
  }
  const [period] = periods;
  const withinAny = or(...periods.map((each) => within(column, each)));
  if (op === 'eq' || op === 'in') return withinAny;
  if (op === 'ne' || op === 'notIn') return not(withinAny);
  if (period !== undefined) {
    const { first, last } = period;
    if (op === 'lte' || op === 'gt') return conditionOn(column, op, [last]);
    const isBetween = first === undefined;
    if (op === 'lt') return conditionOn(column, isBetween ? 'lte' : 'lt', [first ?? last]);
    if (op === 'gte') return conditionOn(column, isBetween ? 'gt' : 'gte', [first ?? last]);
  }
  throw new TypeError(`"${op}" means nothing for a period`);
}

function within(column: string, { first, last }: Period): Condition {
  return first === undefined
    ? // Of a null it is unknown, like every other comparison.
      and(conditionOn(column, 'gt', [last]), conditionOn(column, 'lt', [last]))
    : conditionOn(column, 'between', [first, last]);
}

/** How the values of a kind look outside the table: in JSON, in a URI, in a JSON Schema. */
export interface ValueKind {
  /** What a JSON value must be; completes the sentence "must be …". */
  readonly jsonForm: string;
  /** What a text in a URI must be; completes the sentence "must be …". */
  readonly textForm: string;
  /** The schema of values in responses. */
  readonly schema: JsonSchema;
  /** The schema of values in requests, if they may take more forms. */
  readonly requestSchema?: JsonSchema;
  /** What else to say of values to compare with. */
  readonly operandNote?: string;
  readonly example: Value;
  readonly range?: { readonly minimum: number | bigint; readonly maximum: number | bigint };
  /** Reads a JSON value; undefined if it has another type. @param sourceOf as for `integerOf` */
  fromJson(value: unknown, sourceOf: () => string | undefined): Operand | undefined;
  /** Parses a text in a URI; undefined if it has another form or is out of range. */
  fromText(text: string): Operand | undefined;
}

const INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

/** The kind of integers of so many bits. @param from makes one of any integer, or of its text */
function integers(
  bits: 32 | 64,
  from: (integer: number | bigint | string) => number | bigint,
): ValueKind {
  const limit = 2n ** BigInt(bits - 1);
  const range = { minimum: from(-limit), maximum: from(limit - 1n) };
  return {
    jsonForm: 'an integer',
    textForm: `a decimal ${bits}-bit integer without leading zeros`,
    schema: { type: 'integer', format: `int${bits}` },
    example: from(1),
    range,
    fromJson: (value, sourceOf) => {
      const integer = integerOf(value, sourceOf);
      return integer === undefined ? undefined : from(integer);
    },
    fromText: (text) => {
      if (!INTEGER.test(text)) return undefined;
      const value = from(text === '-0' ? 0 : text);
      return value < range.minimum || value > range.maximum ? undefined : value;
    },
  };
}

const DATE_TIME_FORM =
  'a date-time such as 2026-11-20, 2026-11-20T09:30 or 2026-11-20T09:30:00.123, of the zone of ' +
  'the service, or with Z or an offset such as +02:00';

/** What the rest of the resource layer knows about kinds. */
export const VALUE_KINDS: Readonly<Record<Kind, ValueKind>> = {
  integer: integers(32, Number),
  bigint: integers(64, BigInt),
  boolean: {
    jsonForm: 'true or false',
    textForm: 'true or false',
    schema: { type: 'boolean' },
    example: true,
    fromJson: (value) => (typeof value === 'boolean' ? value : undefined),
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  text: {
    jsonForm: 'a string',
    textForm: 'a text',
    schema: { type: 'string' },
    example: 'milk',
    fromJson: (value) => (typeof value === 'string' ? value : undefined),
    fromText: (text) => text,
  },
  timestamp: {
    jsonForm: DATE_TIME_FORM,
    textForm: DATE_TIME_FORM,
    schema: { type: 'string', format: 'date-time-local', pattern: LOCAL_PATTERN },
    requestSchema: { type: 'string', pattern: SENT_PATTERN },
    operandNote: 'A value that leaves out its end means that whole second, minute or day.',
    example: '2026-11-20T09:30:00.123',
    fromJson: (value) => (typeof value === 'string' ? periodOf(value) : undefined),
    fromText: periodOf,
  },
};

/** Times of a seed: with their seconds, because they are kept as they are. */
const SEED_TIMESTAMP: ValueKind = {
  ...VALUE_KINDS.timestamp,
  jsonForm:
    'a date-time with its seconds, such as 2026-11-20T09:30:00, of the zone of the service, or ' +
    'with Z or an offset such as +02:00',
  requestSchema: { type: 'string', pattern: SEED_PATTERN },
  fromJson: (value) =>
    typeof value === 'string' && HAS_SECONDS.test(value) ? periodOf(value) : undefined,
};
const HAS_SECONDS = /T\d\d:\d\d:/;

/** What is known of a kind where a request, or a seed, has it. */
export function kindIn(request: RequestKind, kind: Kind): ValueKind {
  return request === 'seed' && kind === 'timestamp' ? SEED_TIMESTAMP : VALUE_KINDS[kind];
}

/** A character that is not blank, which most texts contain: a quick test. */
const VISIBLE_ASCII = /[!-~]/;

/** Whether a text is empty or contains only Unicode white space (property White_Space). */
export function isBlank(text: string): boolean {
  // The property takes V8 half a millisecond of the start, unless it waits until it is needed.
  return !VISIBLE_ASCII.test(text) && !/\P{White_Space}/u.test(text);
}

/** The code points up to U+FFFF without the property White_Space (Unicode, PropList.txt). */
const NOT_WHITE_SPACE_CLASS =
  '\\x00-\\x08\\x0E-\\x1F\\x21-\\x84\\x86-\\x9F\\xA1-\\u167F\\u1681-\\u1FFF' +
  '\\u200B-\\u2027\\u202A-\\u202E\\u2030-\\u205E\\u2060-\\u2FFF\\u3001-\\uFFFF';

const VISIBLE = `[${NOT_WHITE_SPACE_CLASS}]|[^\\x00-\\uFFFF]`;

/**
 * A pattern of texts that are not blank, for other programs: engines disagree on what white space
 * is, on whether a code point above U+FFFF is one character, and on whether to match anywhere.
 */
export const NOT_BLANK_PATTERN = `^[\\s\\S]*(${VISIBLE})[\\s\\S]*$`;

import {
  exactJsonText,
  isJsonObject,
  type JsonSchema,
  NamedSchema,
  numberIn,
} from '../../lib/json/index.ts';
import {
  canonicalInteger,
  type Integer,
  integerIn,
  integerRange,
  type Kind,
  TIMESTAMP_PATTERN,
  type Value,
} from '../../lib/table/index.ts';
import { dateTimeIn, instantIn, isDateAlone, MOMENT_OR_DATE_PATTERN } from './date-time.ts';

/** How values of a kind are written in JSON, in a URI and in JSON Schema. */
interface ValueKind {
  /** Describes a JSON value. Completes the sentence "must be …". */
  readonly jsonForm: string;
  /** Describes a text in a URI. Completes the sentence "must be …". */
  readonly textForm: string;
  /** The schema of values in responses. */
  readonly schema: JsonSchema;
  /** The schema of values in requests, if it differs. */
  readonly requestSchema?: JsonSchema;
  readonly example: Value;
  readonly range?: { readonly minimum: Integer; readonly maximum: Integer };
  /** Reads a JSON value; undefined if it has another type. */
  fromJson(value: unknown): Value | undefined;
  /** Reads the JSON of an operand, if it may have more forms than a value. */
  fromOperand?(value: unknown): Value | undefined;
  /** The JSON value of a text in a URI; undefined if it has another form or is out of range. */
  fromText(text: string): Value | undefined;
}

const INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

/** Integers with fewer characters are safe as numbers. */
const SAFE_LENGTH = 16;

/** The kind of integers of `bits` bits. */
function integers(bits: 32 | 64): ValueKind {
  const range = integerRange(bits);
  return {
    jsonForm: 'an integer',
    textForm: `a decimal ${bits}-bit integer without leading zeros`,
    schema: { type: 'integer', format: `int${bits}` },
    example: 1,
    range,
    fromJson: (value) => integerIn(value) ?? largeIntegerIn(value),
    fromText: (text) => {
      if (!INTEGER.test(text)) return undefined;
      const value = text.length < SAFE_LENGTH ? Number(text) : BigInt(text);
      const integer = canonicalInteger(value);
      return integer < range.minimum || integer > range.maximum ? undefined : integer;
    },
  };
}

/** An integer of more than 20 digits, which JSON has as a number, is out of any range. */
function largeIntegerIn(value: unknown): bigint | undefined {
  const isLarge = typeof value === 'number' && Math.abs(value) >= 1e20 && Number.isFinite(value);
  return isLarge ? BigInt(value) : undefined;
}

const DATE_TIME_FORM =
  'a date-time such as 2026-11-20T09:30 or 2026-11-20T09:30:00.123, of the zone of the service, ' +
  'or with Z or an offset such as +02:00';

const INSTANT_FORM =
  'a date-time with Z or an offset, such as 2026-11-20T09:30Z or 2026-11-20T09:30:00.123+02:00';

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** A finite number, with 0 for -0; undefined for any other value. */
function finite(number: number | undefined): number | undefined {
  if (number === undefined || !Number.isFinite(number)) return undefined;
  return number === 0 ? 0 : number;
}

export const VALUE_KINDS: Readonly<Record<Kind, ValueKind>> = {
  integer: integers(32),
  bigint: integers(64),
  number: {
    jsonForm: 'a number in the range of a double',
    textForm: 'a decimal number such as 2.5 or 1e-3',
    schema: { type: 'number', format: 'double' },
    example: 2.5,
    fromJson: (value) => finite(numberIn(value)),
    fromText: (text) => (NUMBER.test(text) ? finite(Number(text)) : undefined),
  },
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
    schema: { type: 'string', format: 'date-time-local', pattern: TIMESTAMP_PATTERN },
    requestSchema: { type: 'string', pattern: MOMENT_OR_DATE_PATTERN },
    example: '2026-11-20T09:30:00.123',
    fromJson: (value) => {
      const text = jsonFormOf(value);
      return typeof text === 'string' ? dateTimeIn(text) : undefined;
    },
    fromText: (text) => text,
  },
  instant: {
    jsonForm: INSTANT_FORM,
    textForm: INSTANT_FORM,
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-20T09:30:00.123Z',
    fromJson: (value) => {
      const text = jsonFormOf(value);
      return typeof text === 'string' && !isDateAlone(text) ? instantIn(text) : undefined;
    },
    fromOperand: (value) => (typeof value === 'string' ? instantIn(value) : undefined),
    fromText: (text) => text,
  },
  json: {
    jsonForm: 'an array or an object',
    textForm: 'an array or an object',
    schema: {},
    example: '[]',
    fromJson: (value) =>
      isJsonObject(value) || Array.isArray(value) ? exactJsonText(value) : undefined,
    fromText: () => undefined,
  },
};

/** The form of a value in JSON. An object of a program, such as a `Date`, may have a function for it. */
function jsonFormOf(value: unknown): unknown {
  const hasForm = typeof value === 'object' && value !== null && 'toJSON' in value;
  return hasForm && typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** A character that is not blank, which most texts contain: a quick test. */
const VISIBLE_ASCII = /[!-~]/;

/** Whether a text is empty or contains only Unicode white space (property White_Space). */
export function isBlank(text: string): boolean {
  // V8 takes half a millisecond to compile the property, so this expression is not a constant.
  return !VISIBLE_ASCII.test(text) && !/\P{White_Space}/u.test(text);
}

/** The code points up to U+FFFF without the property White_Space (Unicode, PropList.txt). */
const NOT_WHITE_SPACE_CLASS =
  '\\x00-\\x08\\x0E-\\x1F\\x21-\\x84\\x86-\\x9F\\xA1-\\u167F\\u1681-\\u1FFF' +
  '\\u200B-\\u2027\\u202A-\\u202E\\u2030-\\u205E\\u2060-\\u2FFF\\u3001-\\uFFFF';

const VISIBLE = `[${NOT_WHITE_SPACE_CLASS}]|[^\\x00-\\uFFFF]`;

/**
 * A pattern of texts that are not blank, for other programs. Engines disagree about white space,
 * about code points above U+FFFF being one character, and about matching anywhere.
 */
export const NOT_BLANK_PATTERN = `^[\\s\\S]*(${VISIBLE})[\\s\\S]*$`;

/** The schema of a text that is not blank. It has a name, because many filters take such a text. */
export const NOT_BLANK = new NamedSchema('NotBlank', () => ({
  type: 'string',
  pattern: NOT_BLANK_PATTERN,
}));

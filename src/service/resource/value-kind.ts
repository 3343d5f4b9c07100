import type { ViolationCode } from '../../lib/http/index.ts';
import { integerOf, type JsonSchema } from '../../lib/json/index.ts';
import {
  type Condition,
  codePointLength,
  conditionOn,
  type Kind,
  type Value,
} from '../../lib/table/index.ts';
import { LOCAL_PATTERN, SEED_PATTERN, SENT_PATTERN } from './date-time-pattern.ts';
import {
  type Field,
  type FilterOperator,
  type RequestKind,
  type Rules,
  rulesFor,
} from './field.ts';
import { conditionOnPeriods, type Period, periodOf } from './period.ts';

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
  const periods = operands.filter((operand) => typeof operand === 'object');
  return periods.length > 0
    ? conditionOnPeriods(column, op, periods)
    : conditionOn(column, op, operands.map(storedValue));
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
  /** A value, for documentation. */
  readonly example: Value;
  readonly range?: { readonly minimum: number | bigint; readonly maximum: number | bigint };
  /**
   * Reads a JSON value; undefined if it has another type.
   * @param sourceOf returns its text, if it is a number that `JSON.parse` may have rounded
   */
  fromJson(value: unknown, sourceOf: () => string | undefined): Operand | undefined;
  /** Parses a text in a URI; undefined if it has another form or is out of range. */
  fromText(text: string): Operand | undefined;
}

const INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

const DATE_TIME_FORM =
  'a date-time such as 2026-11-20, 2026-11-20T09:30 or 2026-11-20T09:30:00.123, of the zone of ' +
  'the service, or with Z or an offset such as +02:00';

/** What the rest of the resource layer knows about kinds. */
export const VALUE_KINDS: Readonly<Record<Kind, ValueKind>> = {
  integer: {
    jsonForm: 'an integer',
    textForm: 'a decimal 32-bit integer without leading zeros',
    schema: { type: 'integer', format: 'int32' },
    example: 1,
    range: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    fromJson: (value, sourceOf) => {
      const integer = integerOf(value, sourceOf);
      return integer === undefined ? undefined : Number(integer);
    },
    fromText: (text) => {
      const value = INTEGER.test(text) ? Number(text) : Number.NaN;
      return value === (value | 0) ? value + 0 : undefined;
    },
  },
  bigint: {
    jsonForm: 'an integer',
    textForm: 'a decimal 64-bit integer without leading zeros',
    schema: { type: 'integer', format: 'int64' },
    example: 1n,
    range: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
    fromJson: (value, sourceOf) => {
      const integer = integerOf(value, sourceOf);
      return integer === undefined ? undefined : BigInt(integer);
    },
    fromText: (text) => {
      const value = INTEGER.test(text) ? BigInt(text) : undefined;
      return value !== undefined && value === BigInt.asIntN(64, value) ? value : undefined;
    },
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
    schema: { type: 'string', format: 'date-time-local', pattern: LOCAL_PATTERN },
    requestSchema: { type: 'string', pattern: SENT_PATTERN },
    operandNote: 'What leaves out a fraction, seconds or the time of day means the whole of it.',
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
const HAS_SECONDS = /^\S+T\d\d:\d\d:\d\d\S*$/;

/** What is known of a kind where a request, or a seed, has it. */
export function kindIn(request: RequestKind, kind: Kind): ValueKind {
  return request === 'seed' && kind === 'timestamp' ? SEED_TIMESTAMP : VALUE_KINDS[kind];
}

/** A rule for values: a stable code, a sentence that says what is allowed, and a test. */
export interface Rule {
  readonly code: ViolationCode;
  readonly detail: string;
  readonly isSatisfiedBy: (value: Value) => boolean;
}

/** The rules for a value of the right type. `notBlank` is the message for a blank text. */
export function rulesOf(
  field: Pick<Field, 'kind' | 'rules' | 'identity'>,
  notBlank?: string,
): readonly Rule[] {
  const { kind } = field;
  const limits: Rules = { ...VALUE_KINDS[kind].range, ...rulesFor(field) };
  const { minLength, maxLength, minimum, maximum } = limits;
  const rules: Rule[] = [];
  const add = (code: ViolationCode, detail: string, isSatisfiedBy: Rule['isSatisfiedBy']) =>
    rules.push({ code, detail, isSatisfiedBy });
  const addForText = (code: ViolationCode, detail: string, test: (text: string) => boolean) =>
    add(code, detail, (value) => typeof value === 'string' && test(value));
  if (kind === 'text') addForText('well-formed', WELL_FORMED, (text) => text.isWellFormed());
  if (notBlank !== undefined) addForText('not-blank', notBlank, (text) => !isBlank(text));
  if (minLength !== undefined) {
    const isLong = (text: string) =>
      text.length >= 2 * minLength || codePointLength(text) >= minLength;
    addForText('min-length', `must be at least ${characters(minLength)} long`, isLong);
  }
  if (maxLength !== undefined) {
    const isShort = (text: string) =>
      text.length <= maxLength || codePointLength(text) <= maxLength;
    addForText('max-length', `must be at most ${characters(maxLength)} long`, isShort);
  }
  if (minimum !== undefined) {
    add('minimum', `must be at least ${minimum}`, (value) => !isLess(value, minimum));
  }
  if (maximum !== undefined) {
    add('maximum', `must be at most ${maximum}`, (value) => !isLess(maximum, value));
  }
  return rules;
}

/** What a text must be; UTF-8 can carry no other. */
export const WELL_FORMED = 'must be well-formed Unicode, without a lone surrogate';

function isLess(a: Value, b: Value): boolean {
  return typeof a !== 'boolean' && typeof b !== 'boolean' && a < b;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** What most texts that are not blank contain. */
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

import { METHODS } from 'node:http';
import { integerOf, isJsonObject, type JsonSchema } from '../../../lib/json/index.ts';
import type { Fault } from './fault.ts';
import {
  isMatchablePath,
  isMatchableRoute,
  MAX_PATH,
  PATH_ALLOWED,
  PATH_PATTERN,
  ROUTE_ALLOWED,
  ROUTE_PATTERN,
} from './matching.ts';

/** A rule for a member of a fault: as a schema, as a phrase, and as a check. */
export interface MemberRule {
  readonly schema: JsonSchema;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  /**
   * @param base the base of the service
   * @param sourceOf returns the text of a number that `JSON.parse` may have rounded
   */
  readonly accepts: (value: unknown, base?: string, sourceOf?: () => string | undefined) => boolean;
}

/** The longest delay, in milliseconds, and the longest life of a fault, in seconds. */
const MAX_DELAY_MS = 3_600_000;
export const MAX_SECONDS = 86_400 * 365;

/** The maximum number of requests to let pass, or to hit. */
const MAX_COUNT = 1_000_000_000;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that belong to the server, whatever a fault is. */
const RESERVED_FIELD = new RegExp(
  '^(?:connection|content-length|date|keep-alive|te|trailer|transfer-encoding' +
    '|upgrade|access-control-.*)$',
  'i',
);

const TEXTS: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

/** What can become of the connection. */
const ABORTS = ['before', 'reset', 'after', 'truncate'];

/** The rules for all members. */
export const MEMBER_RULES: Readonly<Record<keyof Fault, MemberRule>> = {
  method: {
    schema: { type: 'string', pattern: '^[A-Z-]+$' },
    allowed: 'a known method in capital letters',
    accepts: (value) => typeof value === 'string' && METHODS.includes(value) && value !== 'CONNECT',
  },
  path: {
    schema: { type: 'string', pattern: PATH_PATTERN, maxLength: MAX_PATH },
    allowed: PATH_ALLOWED,
    accepts: isMatchablePath,
  },
  route: {
    schema: { type: 'string', pattern: ROUTE_PATTERN, maxLength: MAX_PATH },
    allowed: ROUTE_ALLOWED,
    accepts: isMatchableRoute,
  },
  query: {
    schema: TEXTS,
    allowed: 'an object of parameters, each with a text',
    accepts: (value) => areTexts(value, () => true),
  },
  requestHeaders: {
    schema: TEXTS,
    allowed: 'an object of header fields, each with a text',
    accepts: (value) => areTexts(value, (name) => TOKEN.test(name)),
  },
  rate: range('number', 0, 1),
  skip: range('integer', 0, MAX_COUNT),
  times: range('integer', 1, MAX_COUNT),
  seconds: {
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_SECONDS },
    allowed: `a number above 0, at most ${MAX_SECONDS}`,
    accepts: (value) => value !== 0 && isBetween(value, 0, MAX_SECONDS),
  },
  delayMs: range('number', 0, MAX_DELAY_MS),
  jitterMs: range('number', 0, MAX_DELAY_MS),
  status: range('integer', 200, 599),
  headers: {
    schema: TEXTS,
    allowed: 'an object of header fields, none of which is about framing, the connection or CORS',
    accepts: (value) =>
      areTexts(
        value,
        (name, text) => TOKEN.test(name) && FIELD_VALUE.test(text) && !RESERVED_FIELD.test(name),
      ),
  },
  content: {
    schema: { type: 'string' },
    allowed: 'a text of well-formed Unicode',
    accepts: (value) => typeof value === 'string' && value.isWellFormed(),
  },
  abort: {
    schema: {
      type: 'string',
      enum: ABORTS,
      description: '`true` is `"before"`, and `false` is as good as absent.',
    },
    allowed: 'true, false, "before", "reset", "after" or "truncate"',
    accepts: (value) => typeof value === 'boolean' || ABORTS.some((each) => each === value),
  },
  bytesPerSecond: {
    schema: { type: 'number', minimum: 1 },
    allowed: 'a number, at least 1',
    accepts: (value) => isBetween(value, 1, Number.MAX_VALUE),
  },
};

function areTexts(value: unknown, accepts: (name: string, text: string) => boolean): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => text === undefined || (typeof text === 'string' && accepts(name, text)),
  );
}

function range(type: 'integer' | 'number', minimum: number, maximum: number): MemberRule {
  return {
    schema: { type, minimum, maximum },
    allowed: `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`,
    accepts: (value, _base, sourceOf = () => undefined) =>
      isBetween(value, minimum, maximum) &&
      (type === 'number' || integerOf(value, sourceOf) !== undefined),
  };
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

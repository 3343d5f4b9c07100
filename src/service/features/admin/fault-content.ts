import { METHODS } from 'node:http';
import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
  Problem,
  type RequestContent,
  type Violation,
  type ViolationCode,
} from '../../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  jsonPointer,
  NamedSchema,
  objectSchema,
} from '../../../lib/json/index.ts';
import { isExempt } from '../feature.ts';
import type { Fault } from './fault.ts';

/** A rule for a member of a fault: as a schema, as a phrase, and as a check. */
interface MemberRule {
  readonly schema: JsonSchema;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
}

/** The longest delay, in milliseconds, and the longest life of a fault, in seconds. */
const MAX_DELAY_MS = 3_600_000;
const MAX_SECONDS = 86_400 * 365;

/** The maximum number of requests to let pass, or to hit. */
const MAX_COUNT = 1_000_000_000;

/** The characters of a path that is percent-encoded, and how many a request can have. */
const PATH = '^[/][!\\x22$->@-~]*$';
const MAX_PATH = 8192;
const IS_PATH = new RegExp(PATH);

const RULES: Readonly<Record<keyof Fault, MemberRule>> = {
  method: {
    schema: { type: 'string', pattern: '^[A-Z-]+$' },
    allowed: 'a known method in capital letters',
    accepts: (value) => typeof value === 'string' && METHODS.includes(value) && value !== 'CONNECT',
  },
  path: {
    schema: { type: 'string', pattern: PATH, maxLength: MAX_PATH },
    allowed:
      'the beginning of a path that faults can hit, from its "/" on, encoded, without a query',
    accepts: (value) =>
      typeof value === 'string' &&
      value.length <= MAX_PATH &&
      IS_PATH.test(value) &&
      !isExempt(value),
  },
  delayMs: range('number', 0, MAX_DELAY_MS),
  jitterMs: range('number', 0, MAX_DELAY_MS),
  rate: range('number', 0, 1),
  status: range('integer', 400, 599),
  headers: {
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    allowed: 'an object of header fields, none of which is about framing, the connection or CORS',
    accepts: (value) => isJsonObject(value) && Object.entries(value).every(isField),
  },
  abort: {
    schema: { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['before', 'after'] }] },
    allowed: 'true, false, "before" or "after"',
    accepts: (value) => [true, false, 'before', 'after'].some((each) => each === value),
  },
  seconds: {
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_SECONDS },
    allowed: `a number above 0, at most ${MAX_SECONDS}`,
    accepts: (value) => value !== 0 && isBetween(value, 0, MAX_SECONDS),
  },
  skip: range('integer', 0, MAX_COUNT),
  times: range('integer', 1, MAX_COUNT),
};

function isField([name, value]: readonly [string, unknown]): boolean {
  if (!TOKEN.test(name) || typeof value !== 'string') return false;
  return FIELD_VALUE.test(value) && !RESERVED_FIELD.test(name);
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A value of a header field (RFC 9110, section 5.5), within Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\t\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that belong to the server, whatever a fault is. */
const RESERVED_FIELD = new RegExp(
  '^(?:connection|content-length|content-type|date|keep-alive|te|trailer|transfer-encoding' +
    '|upgrade|access-control-.*)$',
  'i',
);

const MEMBERS = Object.keys(RULES);
const MEMBERS_ALLOWED = `a fault may have ${MEMBERS.join(', ')}`;

/** The maximum number of faults. Each request looks for the one that hits it. */
const MAX_FAULTS = 100;

/** The members that have an effect; a fault needs at least one. */
const EFFECTS = ['delayMs', 'status', 'abort'];

const PROPERTIES = Object.fromEntries(
  Object.entries(RULES).map(([name, { schema }]) => [name, schema]),
);

const FAULT = new NamedSchema('Fault', () => ({
  description:
    'What goes wrong, and for which requests. It has at least one of `delayMs`, `status`, `abort`.',
  type: 'object',
  properties: PROPERTIES,
  additionalProperties: false,
}));

const LISTED_FAULT = new NamedSchema('ListedFault', () => ({
  description: 'A fault, with the seconds it has left, and how often it has hit.',
  type: 'object',
  required: ['hits'],
  properties: {
    ...PROPERTIES,
    seconds: { type: 'number', minimum: 0, maximum: MAX_SECONDS },
    hits: { type: 'integer', minimum: 0 },
  },
}));

/** The list of faults in responses. */
export const LISTED_FAULTS = listOf('ListedFaults', LISTED_FAULT);

function listOf(name: string, items: NamedSchema): NamedSchema {
  const faults = { type: 'array', items, maxItems: MAX_FAULTS };
  return new NamedSchema(name, () => objectSchema({ faults }));
}

/** The content of a request that sets the faults. */
export const faultsContent: RequestContent<readonly Fault[]> = {
  mediaTypes: JSON_MEDIA_TYPES,
  schema: listOf('Faults', FAULT),
  examples: {
    'one response in ten fails': { faults: [{ path: '/api/todos', status: 503, rate: 0.1 }] },
    'lists are slow for a minute': {
      faults: [{ method: 'GET', path: '/api/todos', delayMs: 200, jitterMs: 50, seconds: 60 }],
    },
    'a script: two failures, then success': {
      faults: [{ path: '/api/todos', status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
    },
    none: { faults: [] },
  },
  problems: ['malformed-body', 'validation-failed'],
  of: (request) => faultsOf(jsonObjectOf(request).object.faults),
};

/** Checks a list of faults. @throws Problem `validation-failed` with all violations */
export function faultsOf(faults: unknown): readonly Fault[] {
  const violations: Violation[] = [];
  const violate: Violate = (code, detail, ...path) => {
    violations.push({ pointer: jsonPointer('faults', ...path), code, detail });
  };
  if (faults === undefined) violate('required', 'must be present');
  else if (faults === null) violate('not-null', 'must not be null');
  else if (!Array.isArray(faults)) violate('type', 'must be an array');
  else if (faults.length > MAX_FAULTS) {
    violate('max-items', `must have at most ${MAX_FAULTS} items, not ${faults.length}`);
  } else {
    for (const [i, fault] of faults.entries()) {
      if (!isJsonObject(fault)) violate('type', 'must be an object', i);
      else checkFault(fault, (code, detail, ...path) => violate(code, detail, i, ...path));
    }
    if (violations.length === 0) return faults;
  }
  const [first] = violations;
  const detail = `The faults violate rules: ${first?.pointer} ${first?.detail}`;
  throw new Problem('validation-failed', detail, { errors: violations });
}

type Violate = (code: ViolationCode, detail: string, ...path: (string | number)[]) => void;

function checkFault(fault: JsonObject, violate: Violate): void {
  const members = Object.entries(fault);
  if (members.length > MEMBERS.length) {
    violate('unknown', `has ${members.length} members; ${MEMBERS_ALLOWED}`);
    return;
  }
  for (const [name, value] of members) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof Fault] : undefined;
    if (rule === undefined) violate('unknown', `is unknown; ${MEMBERS_ALLOWED}`, name);
    else if (!rule.accepts(value)) violate('value', `must be ${rule.allowed}`, name);
  }
  if (!EFFECTS.some((name) => Object.hasOwn(fault, name))) {
    violate('required', `must have one of ${EFFECTS.join(', ')}`);
  }
  if (RULES.abort.accepts(fault.abort) && fault.abort && fault.status !== undefined) {
    violate('value', 'must not be combined with abort', 'status');
  }
  if (fault.headers !== undefined && fault.status === undefined) {
    violate('value', 'must come with a status', 'headers');
  }
}

function range(type: 'integer' | 'number', minimum: number, maximum: number): MemberRule {
  return {
    schema: { type, minimum, maximum },
    allowed: `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`,
    accepts: (value) =>
      isBetween(value, minimum, maximum) && (type === 'number' || Number.isInteger(value)),
  };
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

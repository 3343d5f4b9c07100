import { Problem, type Violation, type ViolationCode } from '../../http/core/problem.ts';
import { JSON_MEDIA_TYPES, jsonObjectOf } from '../../http/request/json-content.ts';
import type { RequestContent } from '../../http/routing/operation.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { jsonPointer } from '../../json/json-pointer.ts';
import { type JsonSchema, NamedSchema } from '../../json/schema.ts';
import type { Fault } from './faults.ts';

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

const RULES: Readonly<Record<keyof Fault, MemberRule>> = {
  method: {
    schema: { type: 'string', pattern: '^[A-Z-]+$' },
    allowed: 'a method in capital letters',
    accepts: (value) => typeof value === 'string' && /^[A-Z-]+$/.test(value),
  },
  path: {
    schema: { type: 'string', pattern: '^[/][\\s\\S]*$' },
    allowed: 'the beginning of a path, with its "/"',
    accepts: (value) => typeof value === 'string' && value.startsWith('/'),
  },
  delayMs: number(0, MAX_DELAY_MS),
  jitterMs: number(0, MAX_DELAY_MS),
  rate: number(0, 1),
  status: {
    schema: { type: 'integer', minimum: 400, maximum: 599 },
    allowed: 'an integer from 400 to 599',
    accepts: (value) => Number.isInteger(value) && isBetween(value, 400, 599),
  },
  abort: {
    schema: { type: 'boolean' },
    allowed: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  },
  seconds: {
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_SECONDS },
    allowed: `a number above 0, at most ${MAX_SECONDS}`,
    accepts: (value) => value !== 0 && isBetween(value, 0, MAX_SECONDS),
  },
};

const MEMBERS = Object.keys(RULES);
const MEMBERS_ALLOWED = `a fault may have ${MEMBERS.join(', ')}`;

/** The most faults. Each request looks for the one that hits it. */
const MAX_FAULTS = 100;

/** The members that have an effect; a fault needs at least one. */
const EFFECTS = ['delayMs', 'status', 'abort'];

const FAULT = new NamedSchema('Fault', () => ({
  description: 'What goes wrong, and for which requests.',
  type: 'object',
  properties: Object.fromEntries(Object.entries(RULES).map(([name, { schema }]) => [name, schema])),
  anyOf: EFFECTS.map((name) => ({ required: [name] })),
  additionalProperties: false,
}));

/** The list of faults, in requests and responses. */
export const FAULTS = new NamedSchema('Faults', () => ({
  type: 'object',
  required: ['faults'],
  properties: { faults: { type: 'array', items: FAULT, maxItems: MAX_FAULTS } },
}));

/** The content of a request that sets the faults. */
export const faultsContent: RequestContent<readonly Fault[]> = {
  mediaTypes: JSON_MEDIA_TYPES,
  schema: FAULTS,
  examples: {
    'one response in ten fails': { faults: [{ path: '/api/todos', status: 503, rate: 0.1 }] },
    'lists are slow for a minute': {
      faults: [{ method: 'GET', path: '/api/todos', delayMs: 200, jitterMs: 50, seconds: 60 }],
    },
    none: { faults: [] },
  },
  problems: ['malformed-body', 'validation-failed'],
  of: (request) => {
    const { faults } = jsonObjectOf(request).object;
    const violations =
      Array.isArray(faults) && faults.length <= MAX_FAULTS
        ? faults.flatMap((fault, i) => violationsOf(fault, ['faults', i]))
        : [listViolation(faults)];
    if (violations.length === 0 && isFaults(faults)) return faults;
    throw new Problem('validation-failed', 'The faults break some rules; errors lists them', {
      errors: violations,
    });
  },
};

/** What is wrong with a value that is not a list of faults, or too long a list. */
function listViolation(faults: unknown): Violation {
  if (faults === undefined) return violation('#/faults', 'required', 'must be present');
  if (faults === null) return violation('#/faults', 'not-null', 'must not be null');
  if (!Array.isArray(faults)) return violation('#/faults', 'type', 'must be an array');
  const detail = `must have at most ${MAX_FAULTS} items, not ${faults.length}`;
  return violation('#/faults', 'max-items', detail);
}

function violationsOf(fault: unknown, path: readonly (string | number)[]): Violation[] {
  const pointer = jsonPointer(...path);
  if (!isJsonObject(fault)) return [violation(pointer, 'type', 'must be an object')];
  const violations: Violation[] = [];
  const members = Object.entries(fault);
  if (members.length > MEMBERS.length) {
    const detail = `has ${members.length} members; ${MEMBERS_ALLOWED}`;
    return [violation(pointer, 'unknown', detail)];
  }
  for (const [name, value] of members) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof Fault] : undefined;
    const member = jsonPointer(...path, name);
    if (rule === undefined) {
      violations.push(violation(member, 'unknown', `is unknown; ${MEMBERS_ALLOWED}`));
    } else if (!rule.accepts(value)) {
      violations.push(violation(member, 'value', `must be ${rule.allowed}`));
    }
  }
  if (!EFFECTS.some((name) => Object.hasOwn(fault, name))) {
    violations.push(violation(pointer, 'required', `must have one of ${EFFECTS.join(', ')}`));
  }
  return violations;
}

/** Called only if there are no violations; tells the compiler what that means. */
function isFaults(faults: unknown): faults is Fault[] {
  return Array.isArray(faults);
}

function violation(pointer: string, code: ViolationCode, detail: string): Violation {
  return { pointer, code, detail };
}

function number(minimum: number, maximum: number): MemberRule {
  return {
    schema: { type: 'number', minimum, maximum },
    allowed: `a number from ${minimum} to ${maximum}`,
    accepts: (value) => isBetween(value, minimum, maximum),
  };
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

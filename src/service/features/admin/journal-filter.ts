import {
  type Argument,
  type ParameterDescription,
  Problem,
  queryParameter,
  quoted,
  shown,
} from '../../../lib/http/index.ts';
import { isJsonObject } from '../../../lib/json/index.ts';
import type { JournalFilter } from './journal-entry.ts';
import {
  baseOf,
  isMatchablePath,
  isMatchableRoute,
  PATH_ALLOWED,
  PATH_PATTERN,
  ROUTE_ALLOWED,
  ROUTE_PATTERN,
} from './matching.ts';

/** What a request for the journal asks for. */
export interface JournalQuery extends JournalFilter {
  /** How long to wait until as many requests as `count` match, in milliseconds. */
  readonly waitMs?: number;
  readonly count?: number;
}

/** A member of what is asked for, in a program or in a query string. */
interface MemberRule {
  readonly parameter: ParameterDescription;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  readonly accepts: (value: unknown, base?: string) => boolean;
}

/** How long a request may wait for others, in milliseconds. */
const MAX_WAIT_MS = 60_000;

const METHOD = /^[A-Z_-]+$/;
const DIGITS = /^[0-9]+$/;

const RULES: Readonly<Record<keyof JournalQuery, MemberRule>> = {
  method: {
    parameter: parameter('method', 'Only requests with this method.', METHOD.source, 'POST'),
    allowed: 'a method in capital letters',
    accepts: (value) => typeof value === 'string' && METHOD.test(value),
  },
  path: {
    parameter: parameter('path', 'This path and those below it.', PATH_PATTERN, '/api/todos'),
    allowed: PATH_ALLOWED,
    accepts: isMatchablePath,
  },
  route: {
    parameter: parameter('route', 'The template of the path.', ROUTE_PATTERN, '/api/todos/{id}'),
    allowed: ROUTE_ALLOWED,
    accepts: isMatchableRoute,
  },
  status: integer('status', 'Only requests that got this status.', 100, 599, 201),
  limit: integer('limit', 'Only this many, the newest.', 0, Number.POSITIVE_INFINITY, 10),
  waitMs: integer('waitMs', 'How long to wait for `count` of them.', 0, MAX_WAIT_MS, 2000),
  count: integer('count', 'How many to wait for; 1 if absent.', 0, Number.POSITIVE_INFINITY, 2),
};

function parameter(name: string, description: string, pattern: string, example: string) {
  return queryParameter(name, description, { type: 'string', pattern }, example);
}

function integer(
  name: string,
  description: string,
  minimum: number,
  maximum: number,
  example: number,
): MemberRule {
  const isBounded = maximum < Number.POSITIVE_INFINITY;
  const schema = { type: 'integer', minimum, ...(isBounded && { maximum }) };
  return {
    parameter: queryParameter(name, description, schema, example),
    allowed: `an integer, ${isBounded ? `from ${minimum} to ${maximum}` : `${minimum} or more`}`,
    accepts: (value) =>
      Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  };
}

/** The parameters of a request for the journal. */
export const journalArgument: Argument<JournalQuery> = {
  parameters: Object.values(RULES).map((rule) => rule.parameter),
  problems: ['invalid-parameter'],
  of: (request) => {
    const given = request.query.parameters.map(
      ([name, text]) => [name, typedValue(name, text)] as const,
    );
    const fail = (reason: string) => new Problem('invalid-parameter', reason);
    return checked(given, RULES, baseOf(request), fail);
  },
};

function typedValue(name: string, text: string): unknown {
  const isInteger = ruleOf(name, RULES)?.parameter.schema.type === 'integer';
  return isInteger && DIGITS.test(text) ? Number(text) : text;
}

/**
 * The filter that a program gives, copied.
 * @param base the base of the service
 * @throws TypeError that says what is wrong
 */
export function journalFilterOf(filter: unknown = {}, base = ''): JournalFilter {
  const fail = (reason: string) => new TypeError(`the filter is invalid: ${reason}`);
  if (!isJsonObject(filter)) throw fail(`it must be an object, not ${shown(filter)}`);
  const { waitMs: _, count: __, ...rules } = RULES;
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return checked(given, rules, base, fail);
}

type Rules = Readonly<Record<string, MemberRule>>;

function ruleOf(name: string, rules: Rules): MemberRule | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}

/** Checks each member, and throws what `fail` makes of the first that is wrong. */
function checked(
  given: readonly (readonly [name: string, value: unknown])[],
  rules: Rules,
  base: string,
  fail: (reason: string) => Error,
): JournalQuery {
  const query: Record<string, unknown> = {};
  for (const [name, value] of given) {
    const rule = ruleOf(name, rules);
    if (rule === undefined) {
      throw fail(`${quoted(name)} is unknown; use ${Object.keys(rules).join(', ')}`);
    }
    if (!rule.accepts(value, base))
      throw fail(`${name} must be ${rule.allowed}, not ${shown(value)}`);
    if (Object.hasOwn(query, name)) throw fail(`${name} must be given once`);
    query[name] = value;
  }
  return query;
}

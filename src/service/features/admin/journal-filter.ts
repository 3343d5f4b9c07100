import {
  type Argument,
  type ParameterDescription,
  queryParameter,
} from '../../../lib/http/index.ts';
import {
  checkedMembers,
  checkedObject,
  type MemberRule,
  range,
} from '../../resource/member-rule.ts';
import { throwInvalid } from '../../resource/validation.ts';
import type { JournalFilter } from './journal-entry.ts';
import { type Addresses, addressRules } from './matching.ts';

/** What a request for the journal asks for. */
export interface JournalQuery extends JournalFilter {
  /** How long to wait until as many requests as `count` match, in milliseconds. */
  readonly waitMs?: number;
  readonly count?: number;
}

/** How long a request may wait for others, in milliseconds. */
const MAX_WAIT_MS = 60_000;

const METHOD = /^[A-Z_-]+$/;
const DIGITS = /^[0-9]+$/;

type Member = MemberRule & Pick<ParameterDescription, 'description' | 'example'>;

const STATUS = range('integer', 100, 599);

function queryRules(addresses: Addresses): Readonly<Record<keyof JournalQuery, Member>> {
  const { path, route } = addressRules(addresses);
  return {
    method: {
      schema: { type: 'string', pattern: METHOD.source },
      allowed: 'a method in capital letters',
      accepts: (value) => typeof value === 'string' && METHOD.test(value),
      description: 'Only requests with this method.',
      example: 'POST',
    },
    path: { ...path, description: 'This path and those below it.', example: '/api/todos' },
    route: { ...route, description: 'The template of the path.', example: '/api/todos/{id}' },
    status: {
      ...STATUS,
      // Null finds the requests that nobody has answered; a query string cannot say it.
      accepts: (value) => value === null || STATUS.accepts(value),
      description: 'Only requests that got this status.',
      example: 201,
    },
    limit: { ...range('integer', 0), description: 'Only this many, the newest.', example: 10 },
    waitMs: {
      ...range('integer', 0, MAX_WAIT_MS),
      description: 'How long to wait for `count` of them.',
      example: 2000,
    },
    count: {
      ...range('integer', 0),
      description: 'How many to wait for; 1 if absent.',
      example: 2,
    },
  };
}

/** The parameters of a request for the journal of a service. */
export function journalArgument(addresses: Addresses): Argument<JournalQuery> {
  const rules = queryRules(addresses);
  return {
    // The length of a request target limits that of its parameters, and says so with 414.
    parameters: Object.entries(rules).map(([name, { description, schema, example }]) =>
      queryParameter(name, description, { ...schema, maxLength: undefined }, example),
    ),
    problems: ['invalid-parameter'],
    of: ({ query }) => {
      const given = query.parameters.map(
        ([name, text]) => [name, DIGITS.test(text) ? Number(text) : text] as const,
      );
      return checkedMembers(given, rules, throwInvalid);
    },
  };
}

/** The filter that a program gives, copied. @throws TypeError that says what is wrong */
export function journalFilterOf(filter: unknown = {}, addresses: Addresses): JournalFilter {
  const { waitMs: _, count: __, ...rules } = queryRules(addresses);
  return checkedObject(filter, rules, 'the filter is invalid');
}

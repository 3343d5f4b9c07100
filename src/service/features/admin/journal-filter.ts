import {
  type Argument,
  type ParameterDescription,
  Problem,
  queryParameter,
  shown,
} from '../../../lib/http/index.ts';
import { isJsonObject } from '../../../lib/json/index.ts';
import type { JournalFilter } from './journal-entry.ts';
import { PATH, ROUTE } from './matching.ts';
import {
  type Addresses,
  checkedMembers,
  definedOf,
  type MemberRule,
  memberRule,
  range,
} from './member-rule.ts';

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

const GIVEN_STATUS = integer('Only requests that got this status.', 201, 100, 599);

/** Null finds the requests that nobody has answered; a query string cannot say it. */
const STATUS: Member = {
  ...GIVEN_STATUS,
  check: (value, ...rest) => (value === null ? undefined : GIVEN_STATUS.check(value, ...rest)),
};

const MEMBERS: Readonly<Record<keyof JournalQuery, Member>> = {
  method: {
    ...memberRule(
      { type: 'string', pattern: METHOD.source },
      'a method in capital letters',
      (value) => typeof value === 'string' && METHOD.test(value),
    ),
    description: 'Only requests with this method.',
    example: 'POST',
  },
  path: { ...PATH, description: 'This path and those below it.', example: '/api/todos' },
  route: { ...ROUTE, description: 'The template of the path.', example: '/api/todos/{id}' },
  status: STATUS,
  limit: integer('Only this many, the newest.', 10),
  waitMs: integer('How long to wait for `count` of them.', 2000, 0, MAX_WAIT_MS),
  count: integer('How many to wait for; 1 if absent.', 2),
};

function integer(description: string, example: number, minimum = 0, maximum?: number): Member {
  return { ...range('integer', minimum, maximum), description, example };
}

/** The parameters of a request for the journal of a service. */
export function journalArgument(addresses: Addresses): Argument<JournalQuery> {
  const fail = (reason: string) => new Problem('invalid-parameter', reason);
  return {
    // The length of a request target limits that of its parameters, and says so with 414.
    parameters: Object.entries(MEMBERS).map(([name, { description, schema, example }]) =>
      queryParameter(name, description, { ...schema, maxLength: undefined }, example),
    ),
    problems: ['invalid-parameter'],
    of: ({ query }) => {
      const given = query.parameters.map(
        ([name, text]) => [name, DIGITS.test(text) ? Number(text) : text] as const,
      );
      return checkedMembers(given, MEMBERS, addresses, fail);
    },
  };
}

/** The filter that a program gives, copied. @throws TypeError that says what is wrong */
export function journalFilterOf(filter: unknown = {}, addresses: Addresses): JournalFilter {
  const fail = (reason: string) => new TypeError(`the filter is invalid: ${reason}`);
  if (!isJsonObject(filter)) throw fail(`it must be an object, not ${shown(filter)}`);
  const { waitMs: _, count: __, ...members } = MEMBERS;
  return checkedMembers(Object.entries(definedOf(filter)), members, addresses, fail);
}

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
  text,
} from '../../resource/member-rule.ts';
import { CACHE_BUSTER } from '../../resource/query/suggestions.ts';
import { Validation } from '../../resource/validation.ts';
import type { JournalFilter } from '../control/journal-entry.ts';
import { type KnownPaths, pathRules } from '../control/known-paths.ts';

type JournalQuery = JournalFilter & { readonly waitMs?: number; readonly count?: number };

const MAX_WAIT_MS = 60_000;

type Member = MemberRule & Pick<ParameterDescription, 'description' | 'example'>;

function queryRules(paths: KnownPaths): Readonly<Record<keyof JournalQuery, Member>> {
  const { path, route } = pathRules(paths);
  const method = text('a method in capital letters', /^[A-Z_-]+$/);
  const anyStatus = range('integer', 100, 599);
  // Null finds the requests that nobody has answered; a query string cannot say it.
  const accepts = (value: unknown) => value === null || anyStatus.accepts(value);
  const status = { ...anyStatus, accepts };
  const number = range('integer', 0);
  const wait = range('integer', 0, MAX_WAIT_MS);
  return {
    method: { ...method, description: 'Only requests with this method.', example: 'POST' },
    path: { ...path, description: 'This path and those below it.', example: '/api/todos' },
    status: { ...status, description: 'Only requests that got this status.', example: 201 },
    route: { ...route, description: 'The template of the path.', example: '/api/todos/{id}' },
    waitMs: { ...wait, description: 'How long to wait for `count` of them.', example: 2000 },
    count: { ...number, description: 'How many to wait for; 1 if absent.', example: 2 },
  };
}

/** The parameters of a request for the journal of a service. */
export function journalArgument(paths: KnownPaths): Argument<JournalQuery> {
  const rules = queryRules(paths);
  return {
    // The length of a request target limits that of its parameters, and says so with 414.
    parameters: Object.entries(rules).map(([name, { description, schema, example }]) =>
      queryParameter(name, description, { ...schema, maxLength: undefined }, example),
    ),
    problems: ['invalid-parameter'],
    of: ({ query }) => {
      const given = query.parameters
        .filter(([name]) => name !== CACHE_BUSTER)
        .map(([name, text]) => [name, /^[0-9]+$/.test(text) ? Number(text) : text] as const);
      const validation = new Validation();
      const filter = checkedMembers(given, rules, validation);
      validation.finishQuery();
      return filter;
    },
  };
}

/** The filter that a program gives, copied. @throws TypeError that says what is wrong */
export function journalFilterOf(filter: unknown = {}, paths: KnownPaths): JournalFilter {
  const { waitMs: _, count: __, ...rules } = queryRules(paths);
  return checkedObject(filter, rules, 'the filter is invalid');
}

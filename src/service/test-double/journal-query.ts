import { type Argument, queryParameter } from '../operation.ts';
import { invalidParameter, parametersIn, readParameter } from '../resource/query/parameters.ts';
import { object, range } from '../resource/shape.ts';
import { journalFilter } from './journal.ts';
import type { JournalFilter } from './journal-entry.ts';
import type { KnownPaths } from './scope.ts';

type JournalQuery = JournalFilter & { readonly waitMs?: number; readonly count?: number };

const MAX_WAIT_MS = 60_000;

/** The parameters of a request for the journal. */
export function journalQuery(paths: KnownPaths): Argument<JournalQuery> {
  const { members } = journalFilter(paths);
  const shape = object<JournalQuery>({
    ...members,
    waitMs: range('integer', 0, MAX_WAIT_MS),
    count: range('integer', 0),
  });
  const described = {
    method: ['Only requests with this method.', 'POST'],
    path: ['This path and those below it.', '/api/todos'],
    status: ['Only requests that got this status.', 201],
    route: ['The template of the path.', '/api/todos/{id}'],
    waitMs: ['How long to wait for `count` of them.', 2000],
    count: ['How many to wait for; 1 if absent.', 2],
  } as const satisfies Record<keyof JournalQuery, readonly [string, unknown]>;
  const all = Object.entries(shape.members).map(([name, { schema }]) => ({ name, schema }));
  const names = all.map(({ name }) => name);
  const numbers = all.flatMap(({ name, schema }) => (schema.type === 'integer' ? name : []));
  return {
    parameters: Object.entries(described).map(([name, [description, example]]) => {
      const { schema = {} } = all.find((each) => each.name === name) ?? {};
      return queryParameter(name, description, schema, example);
    }),
    of: ({ query }) => {
      const given = new Map<string, unknown>();
      for (const [name, text] of parametersIn(query, names, 'always')) {
        if (given.has(name)) throw invalidParameter([name], 'must not be repeated');
        const isNumber = numbers.includes(name) && /^[0-9]+$/.test(text);
        given.set(name, isNumber ? Number(text) : text);
      }
      return readParameter(shape, Object.fromEntries(given), []);
    },
  };
}

import { mapValues } from '../../lib/json/index.ts';
import { type Argument, queryParameter } from '../operation.ts';
import { parametersIn, readParameter } from '../resource/query/parameters.ts';
import { object, range } from '../resource/shape.ts';
import { journalFilter, REQUEST_COUNT } from './journal.ts';
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
    count: REQUEST_COUNT,
  });
  const { method, path, status, route, waitMs, count } = shape.members;
  const parameters = [
    queryParameter('method', 'Only requests with this method.', method.schema, 'POST'),
    queryParameter('path', 'This path and those below it.', path.schema, paths.collection),
    queryParameter('status', 'Only requests that got this status.', status.schema, 201),
    queryParameter('route', 'The template of the path.', route.schema, `${paths.collection}/{id}`),
    queryParameter('waitMs', 'How long to wait for `count` of them.', waitMs.schema, 2000),
    queryParameter('count', 'How many to wait for; 1 if absent.', count.schema, 2),
  ];
  const names = parameters.map(({ name }) => name);
  return {
    parameters,
    of: ({ query }) => {
      const given = Object.fromEntries(parametersIn(query, names, true));
      const values = mapValues(given, (text, name) => {
        const { schema } = parameters.find((each) => each.name === name) ?? {};
        const isNumber = schema?.type === 'integer' && /^[0-9]+$/.test(text);
        return isNumber ? Number(text) : text;
      });
      return readParameter(shape, values, []);
    },
  };
}

import { type Request, valueResponse } from '../../lib/http/index.ts';
import { type JsonSchema, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import type { Masks } from '../../lib/masks.ts';
import { quoted } from '../../lib/printable.ts';
import { inOneStep } from '../../lib/steps.ts';
import { adminRoute, jsonOperation, noContentOperation } from '../admin/admin-route.ts';
import { type KnownPaths, pathInList, patternMembers } from '../admin/request-matching.ts';
import type { Feature } from '../feature.ts';
import { ListSite } from '../items/item-list.ts';
import { type Argument, type DescribedRoute, queryParameter } from '../operation.ts';
import { isReserved } from '../reserved-paths.ts';
import {
  invalidParameter,
  namedParameters,
  noParameters,
  readParameter,
  readParameters,
} from '../resource/query/parameters.ts';
import { nothingIgnored } from '../resource/query/unknown-names.ts';
import { type Member, object, range, string } from '../resource/shape.ts';
import { CURSOR } from './changes.ts';
import { Journal, MAX_ENTRIES } from './journal.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';

/** The journals of requests, each list its own (testing.md: "The journal"). */
export function journal(paths: KnownPaths, masks: Masks): Feature {
  return {
    routes: journalRoutes(paths),
    newListFeature: (budget) => new Journal(budget.journal, masks),
    observe(request) {
      if (isReserved(request.localPath)) return;
      journalOf(request).record(request, pathInList(request, paths.basePath));
    },
  };
}

function journalOf(request: Request): Journal {
  return ListSite.of(request).list.feature(Journal);
}

/** How many requests a test can wait for. */
export const REQUEST_COUNT = range('integer', 1, MAX_ENTRIES);

/** The shape of a filter. */
export function journalFilter(paths: KnownPaths) {
  const status: Member<number> = { ...range('integer', 100, 599), ifNull: 'is a value' };
  return object<JournalFilter>({ ...patternMembers(paths), status });
}

interface JournalQuery extends JournalFilter {
  readonly waitMs?: number;
  readonly count?: number;
  /** The `next` of a response. */
  readonly after?: string;
}

const MAX_WAIT_MS = 60_000;

function journalRoutes(paths: KnownPaths): readonly DescribedRoute[] {
  const filters = journalQuery(paths);
  const noFilter = noParameters(nothingIgnored);
  return [
    adminRoute('GET', 'requests', {
      id: 'getRequests',
      summary: 'Get the journal of requests',
      description:
        'The last 1,000 requests or 1 MiB of them, oldest first, without requests for probes, ' +
        'metrics and `/admin`. With `waitMs`, the response comes when `count` requests match, or ' +
        'after that time. With `after`, the `next` of a response, only requests match that came or ' +
        'changed since, and a wait also ends when the faults or their hits change.',
      arguments: [filters],
      ...jsonOperation('The requests that match.', JOURNAL, async (request) => {
        const { waitMs = 0, count = 1, after, ...filter } = filters.readFrom(request);
        const waiting = journalOf(request);
        if (waitMs > 0) await waiting.wait(filter, count, waitMs, { after, request });
        // A reader that follows the journal goes on with that of the list after a reset.
        const read = after === undefined ? waiting : journalOf(request);
        // There may be a mebibyte of them.
        const list = inOneStep(() => {
          const { journalName: journal, cursor: next } = read.changes;
          return valueResponse(200, { journal, next, requests: read.list(filter, after) });
        });
        return request.run(list);
      }),
    }),
    adminRoute('DELETE', 'requests', {
      id: 'clearRequests',
      summary: 'Empty the journal of requests',
      description: 'Later requests are recorded in another `journal`; `number` goes on.',
      arguments: [noFilter],
      ...noContentOperation('The journal is empty.', (request) => {
        // Refuses parameters.
        noFilter.readFrom(request);
        journalOf(request).clear();
      }),
    }),
  ];
}

/** The parameters that may be repeated, because a filter may have several fields or parameters. */
const HEADER = 'header';
const QUERY = 'query';

/** The parameters of a request for the journal. */
function journalQuery(paths: KnownPaths): Argument<JournalQuery> {
  const { members } = journalFilter(paths);
  const shape = object<JournalQuery>({
    ...members,
    waitMs: range('integer', 0, MAX_WAIT_MS),
    count: REQUEST_COUNT,
    after: string('the `next` of a response', (cursor) => CURSOR.test(cursor)),
  });
  const { method, path, status, route, waitMs, count, after } = shape.members;
  const field = { type: 'array', items: { type: 'string', pattern: FIELD.source } };
  const pair = { type: 'array', items: { type: 'string' } };
  const parameters = [
    queryParameter('method', 'Only requests with this method.', method.schema, 'POST'),
    queryParameter('path', 'This path and those below it.', path.schema, paths.collection),
    queryParameter('status', 'Only requests that got this status.', status.schema, 201),
    queryParameter('route', 'The template of the path.', route.schema, `${paths.collection}/{id}`),
    queryParameter(HEADER, 'A header field of the request.', field, ['X-Test: one']),
    queryParameter(QUERY, 'A parameter of the request, decoded.', pair, ['search=milk']),
    queryParameter('waitMs', 'How long to wait for `count` of them.', waitMs.schema, 2000),
    queryParameter('count', 'How many to wait for; 1 if absent.', count.schema, 2),
    queryParameter('after', 'Only what came or changed since.', after.schema, 'k3f9zq1a.17'),
  ];
  const names = parameters.map(({ name }) => name);
  const known = namedParameters(names, nothingIgnored, [HEADER, QUERY]);
  const inputOf = (name: string, sent: string) => {
    const { schema } = parameters.find((each) => each.name === name) ?? {};
    const isNumber = schema?.type === 'integer' && /^[0-9]+$/.test(sent);
    return isNumber ? Number(sent) : sent;
  };
  return {
    parameters,
    readFrom: ({ query }) => {
      const fields = new Map<string, string>();
      const pairs = new Map<string, string>();
      let filter: JournalQuery = {};
      readParameters(query, known, (name, sent) => {
        if (name === HEADER) addField(fields, sent);
        else if (name === QUERY) addPair(pairs, sent);
        else {
          const member = readParameter(shape, { [name]: inputOf(name, sent) }, []);
          filter = { ...filter, ...member };
        }
      });
      return {
        ...filter,
        ...(fields.size > 0 && { requestHeaders: Object.fromEntries(fields) }),
        ...(pairs.size > 0 && { query: Object.fromEntries(pairs) }),
      };
    },
  };
}

/** A header field as it is sent: its name and its value. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*(.*?)[ \t]*$/;

/** Adds a header field, by its lower-case name. @throws Problem `invalid-parameter` */
function addField(fields: Map<string, string>, sent: string): void {
  const [, name, value = ''] = FIELD.exec(sent) ?? [];
  if (name === undefined) {
    throw invalidParameter([HEADER], `must be the name and the value of a field, as X-Test: one`);
  }
  add(fields, HEADER, name.toLowerCase(), value);
}

/** Adds a parameter of a query string, without `=` with an empty value. @throws Problem */
function addPair(pairs: Map<string, string>, sent: string): void {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(sent) ?? [];
  add(pairs, QUERY, name, value);
}

/** @throws Problem `invalid-parameter` if there is a value for the name */
function add(values: Map<string, string>, parameter: string, name: string, value: string): void {
  if (values.has(name)) throw invalidParameter([parameter], `must not have ${quoted(name)} twice`);
  values.set(name, value);
}

const ENTRY = new NamedSchema('JournalEntry', () =>
  objectSchema({
    number: { type: 'integer', minimum: 1, description: 'The position, from 1.' },
    time: { type: 'string', description: 'The time of arrival (RFC 3339), in UTC.' },
    method: { type: 'string' },
    target: { type: 'string' },
    route: { type: ['string', 'null'], description: 'The path as a template.' },
    status: { type: ['integer', 'null'], description: 'Null until a response is sent.' },
    durationMs: { type: ['number', 'null'], description: 'Null until the response is sent.' },
    requestId: { type: ['string', 'null'] },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    content: { type: ['string', 'null'], description: 'The first 4 KiB.' },
    contentBytes: { type: 'integer' },
  } satisfies Record<keyof JournalEntry, JsonSchema>),
);

const JOURNAL = new NamedSchema('Journal', () =>
  objectSchema({
    journal: { type: 'string', description: 'Changed by a reset, a DELETE and a restart.' },
    next: { type: 'string', description: 'The cursor of this moment, for `after`.' },
    requests: { type: 'array', items: ENTRY },
  }),
);

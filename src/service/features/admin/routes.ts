import {
  type Argument,
  type DescribedRoute,
  describedRoute,
  jsonValueOf,
  NO_STORE_FIELD,
  type Operation,
  Problem,
  type ProblemType,
  queryParameter,
  quoted,
  type Request,
  type RequestContent,
  type Tag,
  valueResponse,
} from '../../../lib/http/index.ts';
import { type JsonSchema, NamedSchema, objectSchema } from '../../../lib/json/index.ts';
import { HEAP_BUDGET } from '../../memory-plan.ts';
import { faultsContent, LISTED_FAULTS } from './fault-content.ts';
import type { JournalFilter } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { TestControl } from './test-control.ts';

const TAG: Tag = { name: 'Admin', description: 'For test suites; they need the admin token.' };

/** The problem of a request without the token. */
export const UNAUTHORIZED: ProblemType = {
  code: 'unauthorized',
  status: 401,
  title: 'Unauthorized',
  fields: { 'WWW-Authenticate': 'The required scheme.' },
};

const LISTED = {
  description: 'All faults, including those that have ended.',
  mediaType: 'application/json',
  schema: LISTED_FAULTS,
  example: { faults: [{ path: '/api/todos', status: 503, rate: 0.1, hits: 0 }] },
  headers: NO_STORE_FIELD,
} as const;

/** What test suites need of the service (testing.md: "For test suites"). */
export function adminRoutes(control: TestControl): readonly DescribedRoute[] {
  const { faults, journal } = control;
  const listed = () => valueResponse(200, { faults: faults.list });
  return [
    route('POST', '/admin/reset', {
      id: 'reset',
      summary: 'Reset to the seed, or to other items',
      description:
        'In one commit. All list tags change, event streams get `reset`, and faults and the ' +
        'journal are emptied. A JSON array of create requests, or an object with one, replaces ' +
        'the seed, this once.',
      content: { ...seedContent, schema: control.seedSchema },
      problems: control.resetProblems,
      ...action('The items have been replaced; ids start again from 1.', (request) =>
        control.reset(() => seedContent.of(request)),
      ),
    }),
    route('GET', '/admin/faults', {
      id: 'getFaults',
      summary: 'Get the faults',
      description: 'Each with its remaining seconds, and how often it has hit.',
      responses: { 200: LISTED },
      handle: listed,
    }),
    route('PUT', '/admin/faults', {
      id: 'setFaults',
      summary: 'Set the faults',
      description:
        'Replaces all faults. The first fault that fits a request decides, even if its rate then ' +
        'spares the request; faults that have ended, or let requests pass first, do not fit.',
      content: faultsContent,
      responses: { 200: LISTED },
      handle: (request) => {
        faults.set(faultsContent.of(request));
        return listed();
      },
    }),
    route('DELETE', '/admin/faults', {
      id: 'clearFaults',
      summary: 'Remove all faults',
      description: 'The response has an empty list.',
      responses: { 200: { ...LISTED, example: { faults: [] } } },
      handle: () => {
        faults.set([]);
        return listed();
      },
    }),
    route('DELETE', '/admin/streams', {
      id: 'cutStreams',
      summary: 'End all event streams',
      description: 'Clients may open new ones, and go on from the last event that they have seen.',
      ...action('All streams that were open have ended.', () => control.cutStreams()),
    }),
    route('GET', '/admin/requests', {
      id: 'getRequests',
      summary: 'Get the journal of requests',
      description:
        'The last 1,000 requests, or 1 MiB of them, oldest first; not those for probes, metrics ' +
        'and `/admin`.',
      arguments: [journalFilter],
      responses: {
        200: {
          description: 'The requests that match.',
          mediaType: 'application/json',
          schema: JOURNAL,
          headers: NO_STORE_FIELD,
        },
      },
      handle: (request) =>
        valueResponse(200, { requests: journal.list(journalFilter.of(request)) }),
    }),
    route('DELETE', '/admin/requests', {
      id: 'clearRequests',
      summary: 'Empty the journal of requests',
      description: 'Later requests are recorded as before.',
      ...action('The journal is empty.', () => journal.clear()),
    }),
  ];
}

/** The part of an operation that does something, and then has nothing more to say. */
function action(description: string, act: (request: Request) => void | Promise<void>) {
  return {
    responses: { 204: { description, headers: NO_STORE_FIELD } },
    handle: async (request: Request) => {
      await act(request);
      return { status: 204 };
    },
  };
}

function route(
  method: string,
  path: string,
  operation: Omit<Operation, 'tag' | 'needsToken'> & Pick<DescribedRoute, 'handle'>,
): DescribedRoute {
  const problems = [...(operation.problems ?? []), UNAUTHORIZED];
  return describedRoute(method, path, { ...operation, problems, tag: TAG, needsToken: true });
}

const seedContent: Omit<RequestContent<unknown>, 'schema'> = {
  mediaTypes: ['application/json'],
  isOptional: true,
  maxBytes: HEAP_BUDGET.maxSeedBytes,
  examples: { 'no items': [], 'one item': [{ title: 'Buy milk' }] },
  problems: ['malformed-body', 'validation-failed'],
  of: (request) => (request.content.length === 0 ? undefined : jsonValueOf(request)),
};

const METHOD = { type: 'string', pattern: '^[A-Z_-]+$' };
const PATH = { type: 'string', pattern: '^[/].*$' };
const STATUS = { type: 'integer', minimum: 100, maximum: 599 };
const LIMIT = { type: 'integer', minimum: 0 };

const RULES = new Map([
  ['method', { form: new RegExp(METHOD.pattern), allowed: 'a method in capital letters' }],
  ['path', { form: new RegExp(PATH.pattern), allowed: 'the beginning of a path' }],
  ['status', { form: /^[1-5][0-9]{2}$/, allowed: 'an HTTP status from 100 to 599' }],
  ['limit', { form: /^[0-9]+$/, allowed: 'a decimal integer, 0 or more' }],
]);

const journalFilter: Argument<JournalFilter> = {
  parameters: [
    queryParameter('method', 'Only requests with this method.', METHOD, 'POST'),
    queryParameter('path', 'Only requests whose path begins with this.', PATH, '/api/todos'),
    queryParameter('status', 'Only requests that got this status.', STATUS, 201),
    queryParameter('limit', 'Only this many, the newest.', LIMIT, 10),
  ],
  problems: ['invalid-parameter'],
  of: ({ query }) => {
    for (const [name, value] of query.parameters) {
      const rule = RULES.get(name);
      if (rule?.form.test(value)) continue;
      const detail = rule
        ? `${name} must be ${rule.allowed}, not ${quoted(value)}`
        : `${quoted(name)} is not a parameter; use ${[...RULES.keys()].join(', ')}`;
      throw new Problem('invalid-parameter', detail);
    }
    const [status, limit] = [query.get('status'), query.get('limit')];
    return {
      method: query.get('method'),
      path: query.get('path'),
      status: status === undefined ? undefined : Number(status),
      limit: limit === undefined ? undefined : Number(limit),
    };
  },
};

const ENTRY = new NamedSchema('JournalEntry', () => {
  const properties: Readonly<Record<keyof JournalEntry, JsonSchema>> = {
    time: { type: 'string', description: 'When it arrived (RFC 3339), in UTC.' },
    method: { type: 'string' },
    target: { type: 'string' },
    route: { type: ['string', 'null'], description: 'The path as a template.' },
    status: { type: ['integer', 'null'], description: 'Null if no response was sent.' },
    durationMs: { type: 'number' },
    requestId: { type: ['string', 'null'] },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    content: { type: ['string', 'null'], description: 'Its beginning, up to 4 KiB.' },
    contentBytes: { type: 'integer' },
  };
  return objectSchema(properties);
});

const JOURNAL = new NamedSchema('Journal', () =>
  objectSchema({ requests: { type: 'array', items: ENTRY } }),
);

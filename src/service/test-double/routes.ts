import {
  JSON_MEDIA_TYPE,
  jsonResponse,
  type Request,
  valueResponse,
} from '../../lib/http/index.ts';
import {
  byteString,
  exactJsonText,
  type JsonSchema,
  NamedSchema,
  objectSchema,
} from '../../lib/json/index.ts';
import { ADMIN } from '../exempt-paths.ts';
import {
  type DescribedRoute,
  describedRoute,
  NO_STORE_FIELD,
  type Operation,
  type Tag,
} from '../operation.ts';
import { noParameters } from '../resource/query/parameters.ts';
import type { TestControl } from './control.ts';
import { faultLists } from './fault-content.ts';
import type { JournalEntry } from './journal-entry.ts';
import { journalQuery } from './journal-query.ts';

const TAG: Tag = { name: 'Admin', description: 'For test suites; they need the admin token.' };

/** The routes for test suites. */
export function adminRoutes(control: TestControl): readonly DescribedRoute[] {
  const { faults, journal, resets, paths } = control;
  const seed = resets.seedContent();
  const faultList = faultLists(paths);
  const filters = journalQuery(paths);
  const noFilter = noParameters(true);
  const listOperation = (change?: (request: Request) => void) =>
    jsonOperation('All faults, also those that have ended.', faultList.listed, (request) => {
      change?.(request);
      // Contents keep all digits of their numbers.
      const text = exactJsonText({ faults: faults.list }, Number.POSITIVE_INFINITY);
      return jsonResponse(200, byteString(text ?? ''));
    });
  return [
    route('POST', 'reset', {
      id: 'reset',
      summary: 'Reset to the seed, or to other items',
      description:
        'In one commit. All list tags change, event streams get `reset`, and faults and journal ' +
        'are emptied. Requests from before the reset that are not carried out yet get 409. The ' +
        'seed file is read again. Content, an array of items or an object with one, replaces ' +
        'the seed for this reset.',
      content: seed,
      errors: [409, 507],
      ...noContentOperation(
        'The items have been replaced, and ids start again.',
        async (request) => {
          await resets.resetByRequest(() => seed.of(request));
        },
      ),
    }),
    route('GET', 'faults', {
      id: 'getFaults',
      summary: 'Get the faults',
      description: 'Each with the number of its hits.',
      ...listOperation(),
    }),
    route('PUT', 'faults', {
      id: 'setFaults',
      summary: 'Set the faults',
      description:
        'Replaces all faults, and ends the delays of the previous ones. Of the faults that match a ' +
        'request, only the first one that hits is applied, so the rarer fault comes first.',
      content: faultList.content,
      ...listOperation((request) => faults.set(faultList.content.of(request))),
    }),
    route('DELETE', 'faults', {
      id: 'clearFaults',
      summary: 'Remove all faults',
      description: 'Ends their delays. The response has an empty list.',
      ...listOperation(() => faults.set([])),
    }),
    route('DELETE', 'streams', {
      id: 'cutStreams',
      summary: 'End all event streams',
      description: 'Clients may open new ones, and go on from the last event that they have seen.',
      ...noContentOperation('All streams that were open have ended.', () => control.cutStreams()),
    }),
    route('GET', 'requests', {
      id: 'getRequests',
      summary: 'Get the journal of requests',
      description:
        'The last 1,000 requests or 1 MiB of them, oldest first, without requests for probes, ' +
        'metrics and `/admin`. With `waitMs`, the response comes when `count` requests match, or ' +
        'after that time.',
      arguments: [filters],
      ...jsonOperation('The requests that match.', JOURNAL, async (request) => {
        const { waitMs = 0, count = 1, ...filter } = filters.of(request);
        if (waitMs > 0) await journal.wait(filter, count, waitMs, request);
        return valueResponse(200, { requests: journal.list(filter) });
      }),
    }),
    route('DELETE', 'requests', {
      id: 'clearRequests',
      summary: 'Empty the journal of requests',
      description: 'Later requests are recorded as before.',
      arguments: [noFilter],
      ...noContentOperation('The journal is empty.', (request) => {
        noFilter.of(request);
        journal.clear();
      }),
    }),
  ];
}

/** The responses and the handler of an operation that returns 204. */
function noContentOperation(description: string, act: (request: Request) => void | Promise<void>) {
  return {
    responses: { 204: { description, headers: NO_STORE_FIELD } },
    handle: async (request: Request) => {
      await act(request);
      return { status: 204 };
    },
  };
}

function jsonOperation(description: string, schema: NamedSchema, handle: Operation['handle']) {
  const content = { [JSON_MEDIA_TYPE]: schema };
  return { responses: { 200: { description, content, headers: NO_STORE_FIELD } }, handle };
}

function route(
  method: string,
  segment: string,
  operation: Omit<Operation, 'tag' | 'needsToken'>,
): DescribedRoute {
  return describedRoute(method, `${ADMIN}/${segment}`, {
    ...operation,
    tag: TAG,
    needsToken: true,
  });
}

const ENTRY = new NamedSchema('JournalEntry', () =>
  objectSchema({
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
  objectSchema({ requests: { type: 'array', items: ENTRY } }),
);

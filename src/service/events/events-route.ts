import { clock } from '../../lib/clock.ts';
import type { StreamedContent } from '../../lib/http/index.ts';
import { adminRoute, noContentOperation } from '../admin/admin-route.ts';
import { ListSite, type Mount } from '../items/item-list.ts';
import type { ItemResource } from '../items/item-resource.ts';
import { type Argument, type DescribedRoute, queryParameter } from '../operation.ts';
import { namedParameters, readParameters } from '../resource/query/parameters.ts';
import { ignoredNames } from '../resource/query/unknown-names.ts';

const EVENT_STREAM = 'text/event-stream';

/** Polyfills send the id as a parameter, which needs no preflight. */
const PARAMETER = 'lastEventId';

const ID_SCHEMA = { type: 'string' } as const;
const EXAMPLE_ID = '7f1c4a52-58a8-4e6b-b1c8-5f5d3c2a9e10.41';

/** Opens a stream. @param lastEventId the last event that the client has seen, if any */
type OpenStream = (mount: Mount, lastEventId: string | undefined) => StreamedContent;

/** The stream of changes to items (api.md: "Change events"). */
export function eventsRoute(resource: ItemResource, open: OpenStream): DescribedRoute {
  const lastEventId = lastEventIdArgument(ignoredNames(resource.rules));
  return resource.route('GET', 'events', {
    id: `watch${resource.api.items}`,
    summary: 'Watch changes to items',
    description:
      'Server-sent events: `ready`, then `put` with an item or `delete` with `{"id":1}` for each ' +
      'change. `reset` means to fetch the list again. `ping` comes every 15 s.',
    arguments: [lastEventId],
    responses: {
      200: {
        description: 'An event stream, which does not end.',
        content: { [EVENT_STREAM]: { type: 'string' } },
        headers: {
          'Cache-Control': 'Events are not cached, and reach the client as they are, at once.',
          'X-Accel-Buffering': 'Tells proxies not to buffer events.',
        },
      },
    },
    // In a later task, because the server notices that a stream is closed only if the requests that
    // came with it have been read before its response begins.
    handle: async (request) => {
      const { mount } = ListSite.of(request);
      const content = open(mount, lastEventId.readFrom(request));
      request.onEnd(() => {
        mount.lastRequestAt = clock.time();
      });
      return {
        status: 200,
        headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
        mediaType: EVENT_STREAM,
        // Closes, so that later requests on the connection do not wait for an endless response.
        close: request.method !== 'HEAD',
        content,
      };
    },
  });
}

/** Ends all event streams of a mount, so that clients must connect again. */
export function cutStreamsRoute(): DescribedRoute {
  return adminRoute('DELETE', 'streams', {
    id: 'cutStreams',
    summary: 'End all event streams',
    description: 'Clients may open new ones, and go on from the last event that they have seen.',
    ...noContentOperation('All streams that were open have ended.', (request) =>
      ListSite.of(request).mount.hub?.endStreams(),
    ),
  });
}

/** @param ignores whether an unknown parameter is ignored */
function lastEventIdArgument(ignores: (name: string) => boolean): Argument<string | undefined> {
  const known = namedParameters([PARAMETER], ignores);
  return {
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description:
          'The `id` of the last event that the client has seen; the stream continues after it.',
        schema: ID_SCHEMA,
        example: EXAMPLE_ID,
      },
      queryParameter(PARAMETER, 'The same, without `Last-Event-ID`.', ID_SCHEMA, EXAMPLE_ID),
    ],
    readFrom: ({ headers, query }) => {
      let parameter: string | undefined;
      readParameters(query, known, (_, text) => {
        parameter = text;
      });
      // Empty is the value of a client before its first event (the HTML standard, section 9.2.4).
      const sent = headers['last-event-id']?.toString();
      return sent || parameter || undefined;
    },
  };
}

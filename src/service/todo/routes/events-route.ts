import type { Argument } from '../../../lib/http/index.ts';
import type { ItemEvents } from '../item-events.ts';
import type { ItemResource } from '../item-resource.ts';

const EVENT_STREAM = 'text/event-stream';

/** Polyfills send the id so: a field would need a preflight. They append it, so the last counts. */
const PARAMETER = 'lastEventId';

/** The stream of changes to items (api.md: "Change events"). */
export function eventsRoute(resource: ItemResource, events: ItemEvents) {
  return resource.route('GET', 'events', {
    id: 'watchTodos',
    summary: 'Watch changes to items',
    description:
      'Server-sent events (the HTML standard, section 9.2): first `ready`, always; then, for ' +
      'each change, in the order of the commits, `put` with the item as it is now, or `delete` ' +
      'with its id, such as `{"id":1}`. The last event of a commit has an `id`. `reset` means ' +
      'to fetch the list again. A comment is sent every 15 seconds.',
    arguments: [LAST_EVENT_ID],
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
    handle: async (request) => ({
      status: 200,
      headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
      mediaType: EVENT_STREAM,
      content: await events.open(LAST_EVENT_ID.of(request), request.method !== 'HEAD'),
    }),
  });
}

const LAST_EVENT_ID: Argument<string | undefined> = {
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'The `id` of the last event that the client has seen: the stream continues after it, ' +
        'without loss or repetition; if it cannot, `reset` comes right after `ready`. Without ' +
        'this field, the parameter `lastEventId` counts.',
      schema: { type: 'string' },
      example: '7f1c4a52-58a8-4e6b-b1c8-5f5d3c2a9e10.41',
    },
  ],
  problems: [],
  // Empty is what a client has before its first event (the HTML standard, section 9.2.4).
  of: ({ headers, query }) =>
    headers['last-event-id']?.toString() || new Map(query.parameters).get(PARAMETER) || undefined,
};

import type { EventHub, ServerSentEvent } from '../http/response/event-hub.ts';
import { type DescribedRoute, describedRoute } from '../http/routing/operation.ts';
import { byteString } from '../json/byte-string.ts';
import { REVALIDATE } from '../resource/representation.ts';
import type { Change } from '../table/write/commit.ts';
import type { TodoFields } from './fields.ts';
import { COLLECTION, TAG, type TodoResource } from './todo-resource.ts';

/** The stream of what happens to items (contract: "Change events"). */
export function eventsRoute(
  { todos, representations }: TodoResource,
  hub: EventHub,
): DescribedRoute {
  const eventOf = ({ put, deleted }: Change<TodoFields>): ServerSentEvent =>
    put === undefined
      ? { event: 'delete', data: byteString(`{"id":${deleted.id}}`) }
      : { event: 'put', data: representations.of(put).text };
  todos.onCommit(({ number, changes, isReplacement }) => {
    if (isReplacement) hub.reset(number);
    else hub.publish({ number, events: changes.map(eventOf) });
  });

  return describedRoute({
    method: 'GET',
    path: `${COLLECTION}/events`,
    operation: {
      id: 'watchTodos',
      summary: 'Watch what happens to items',
      description:
        'Server-sent events: first `ready`, then for each change `put` with the item as it is ' +
        'now, or `delete` with its id. `reset` says to fetch the list anew. The stream goes on ' +
        'after the event that `Last-Event-ID` names.',
      tag: TAG,
      arguments: [LAST_EVENT_ID],
      responses: {
        200: {
          description: 'Events, without an end.',
          mediaType: 'text/event-stream',
          schema: { type: 'string' },
        },
      },
      problems: ['overloaded'],
    },
    handle: (request) => ({
      status: 200,
      headers: { ...REVALIDATE, 'X-Accel-Buffering': 'no' },
      mediaType: 'text/event-stream',
      content: hub.open(LAST_EVENT_ID.of(request)),
    }),
  });
}

const LAST_EVENT_ID = {
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'The last event that the client has seen.',
      schema: { type: 'string' },
    },
  ],
  problems: [],
  of: ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => {
    const id = headers['last-event-id'];
    return id === undefined ? undefined : String(id);
  },
} as const;

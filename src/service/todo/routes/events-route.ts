import {
  type Argument,
  type CommitEvents,
  describedRoute,
  type EventBacklog,
  type EventBatch,
  type EventHub,
} from '../../../lib/http/index.ts';
import {
  byteString,
  type JsonSchema,
  type NamedSchema,
  objectSchema,
} from '../../../lib/json/index.ts';
import { typeSchema } from '../../resource/schema.ts';
import type { Item, ItemId } from '../../store/items.ts';
import { below, type ItemResource, REVALIDATE, TAG } from '../item-resource.ts';

/** The stream of changes to items (api.md: "Change events"). */
export function eventsRoute(resource: ItemResource, hub: EventHub) {
  const { api, fields, items, schema, store, texts } = resource;
  const { history } = hub;
  const eventOf = (row: Item | ItemId) =>
    typeof row === 'object'
      ? { event: PUT, data: texts.of(row) }
      : { event: DELETE, data: byteString(`{"id":${row}}`) };
  const batchesOf = (rows: readonly (Item | ItemId)[]): readonly EventBatch[] => {
    const batches: EventBatch[] = [];
    for (let at = 0; at < rows.length; at += MAX_BATCH) {
      const batch = rows.length > MAX_BATCH ? rows.slice(at, at + MAX_BATCH) : rows;
      const bytes = batch.reduce((sum: number, row) => sum + bytesOf(row), 0);
      batches.push({ events: () => batch.map(eventOf), bytes });
    }
    return batches;
  };
  items.table.onCommit(({ number, changes, isReplacement }) => {
    if (isReplacement) hub.reset(number);
    else if (!hub.hasBeenOpened) history.restart(number);
    else {
      const rows = Array.from(changes, ({ put, deleted }) => put ?? deleted.id);
      hub.publish({ number, batches: batchesOf(rows) });
    }
  });

  return describedRoute('GET', below(api.collection, 'events'), {
    id: 'watchTodos',
    summary: 'Watch changes to items',
    description:
      'Server-sent events (the HTML standard, section 9.2): first `ready`, always; then, for ' +
      'each change, in the order of the commits, `put` with the item as it is now, or `delete` ' +
      'with its id, such as `{"id":1}`. The last event of a commit has an `id`. `reset` means ' +
      'to fetch the list again. A comment is sent every 15 seconds.',
    tag: TAG,
    arguments: [LAST_EVENT_ID],
    responses: {
      200: {
        description: 'An event stream, which does not end.',
        mediaType: 'text/event-stream',
        schema: { type: 'string' },
        itemSchema: {
          anyOf: [
            eventSchema(['ready', 'reset'], { type: 'object' }),
            eventSchema(['put'], schema),
            eventSchema(['delete'], objectSchema({ id: typeSchema(fields.id.kind) })),
          ],
        },
        headers: {
          'Cache-Control': 'Events are not cached.',
          'X-Accel-Buffering': 'Tells proxies not to buffer events.',
        },
      },
    },
    problems: store.problems.ofReads,
    handle: (request) => {
      const lastEventId = LAST_EVENT_ID.of(request);
      const stream = (backlog?: EventBacklog) => ({
        status: 200,
        headers: { ...REVALIDATE, 'X-Accel-Buffering': 'no' },
        mediaType: 'text/event-stream',
        content: hub.open(lastEventId, backlog, request.method !== 'HEAD'),
      });
      const seen = lastEventId === undefined ? history.last : history.numberOf(lastEventId);
      const hasRest = store.isLoaded && seen !== undefined && history.hasAfter(seen);
      return hasRest ? stream() : backlogFor(lastEventId).then(stream);
    },
  });

  /**
   * What a client has missed that the hub's history does not have. If another replica has sent the
   * last event that it has seen, and this one is behind, it catches up.
   */
  async function backlogFor(lastEventId = ''): Promise<EventBacklog | undefined> {
    const sent = history.numberOf(lastEventId) ?? history.last + 1;
    const isBehind = lastEventId !== '' && sent > history.last;
    if (isBehind || !store.isLoaded) await store.catchUp();
    const seen = history.numberOf(lastEventId) ?? history.beginning;
    if (seen >= history.beginning) return undefined;
    let last = seen;
    const read = async (): Promise<readonly CommitEvents[] | undefined> => {
      const commits = await store.commits(last, history.beginning);
      last = commits?.at(-1)?.number ?? last;
      return commits?.map(({ number, rows }) => ({
        number,
        batches: batchesOf(rows.map(({ id, row }) => row ?? id)),
      }));
    };
    // A stream that is too old for it has to be told at once.
    const first = await read();
    return first?.length ? pages(first) : undefined;

    async function* pages(begin: readonly CommitEvents[]): EventBacklog {
      for (let page: typeof first = begin; page?.length; page = await read()) yield page;
    }
  }
}

/** The schema of events with these names, and with JSON of a schema as their data. */
function eventSchema(names: readonly string[], contentSchema: JsonSchema | NamedSchema) {
  return {
    type: 'object',
    required: ['event', 'data'],
    properties: {
      event: { type: 'string', enum: names },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
      id: { type: 'string' },
    },
  };
}

const PUT = byteString('put');
const DELETE = byteString('delete');

/** The maximum number of events in a batch: making them takes some tenths of a millisecond. */
const MAX_BATCH = 256;

/** The memory of a row besides its texts, and of an id, in bytes. */
const ROW_BYTES = 160;
const ID_BYTES = 32;

/** The memory that a reference to a row, or an id, may hold, in bytes. */
function bytesOf(row: Item | ItemId): number {
  if (typeof row !== 'object') return ID_BYTES;
  let bytes = ROW_BYTES;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}

const LAST_EVENT_ID: Argument<string | undefined> = {
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'The `id` of the last event that the client has seen: the stream continues after it, ' +
        'without loss or repetition; if it cannot, `reset` comes right after `ready`.',
      schema: { type: 'string' },
      example: '7f1c4a52-58a8-4e6b-b1c8-5f5d3c2a9e10.41',
    },
  ],
  problems: [],
  // Empty is what a client has before its first event (the HTML standard, section 9.2.4).
  of: ({ headers }) => String(headers['last-event-id'] ?? '') || undefined,
};

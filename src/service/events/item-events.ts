import { type EventBatch, EventHub, type StreamedContent } from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import type { ChangeList, Commit } from '../../lib/table/index.ts';
import type { Feature } from '../feature.ts';
import type { ItemList, Mount } from '../items/item-list.ts';
import type { ItemResource } from '../items/item-resource.ts';
import type { DescribedRoute } from '../operation.ts';
import type { ItemFields } from '../resource/definition.ts';
import type { Item, ItemId } from '../store/items.ts';
import { cutStreamsRoute, eventsRoute } from './events-route.ts';

const PUT = byteString('put');
const DELETE = byteString('delete');

/** The maximum number of events in a batch: creating them takes tenths of a millisecond. */
const MAX_BATCH = 256;

/** The memory of a row besides its texts, and of an id, in bytes. */
const ROW_BYTES = 160;
const ID_BYTES = 32;

/**
 * The events of changes to items (api.md: "Change events"). A stream is at a mount: a reset, which
 * puts another list there, is an event of it.
 */
export class ItemEvents implements Feature {
  /** The path of the stream. */
  readonly path: string;
  readonly routes: readonly DescribedRoute[];
  readonly #maxStreams: number;
  readonly #hubs = new Set<EventHub>();
  /** The number of times that a stream was sent `reset` because it lacked events. */
  streamResets = 0;

  /** @param maxStreams the maximum number of open streams, of all mounts together */
  constructor(resource: ItemResource, maxStreams: number) {
    const route = eventsRoute(resource, openStream);
    this.path = route.path;
    this.routes = [route, cutStreamsRoute()];
    this.#maxStreams = maxStreams;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#sum(({ size }) => size);
  }

  /** The memory of past events, in bytes. */
  get historyBytes(): number {
    return this.#sum(({ history }) => history.bytes);
  }

  /** Creates the streams of a mount. @param listId the id of the list that is there now */
  newHub(listId: () => string, maxHistoryBytes: number): EventHub {
    const isFull = () => this.size >= this.#maxStreams;
    const onStreamReset = () => {
      this.streamResets++;
    };
    const hub = new EventHub(listId, { isFull, maxHistoryBytes, onStreamReset });
    this.#hubs.add(hub);
    return hub;
  }

  /** Ends the streams of a mount, also those that open later. */
  remove(hub: EventHub): void {
    hub.end();
    this.#hubs.delete(hub);
  }

  /** Called for each commit of the list in a mount: sends its changes to the event streams. */
  publish({ hub, list }: Mount, { number, changes }: Commit<ItemFields>): void {
    // Before the first stream, there is no client that resumes.
    if (!hub?.hasBeenOpened) return;
    hub.publish({ number, batches: batchesOf(changes, list, hub.history.maxBytes) });
  }

  #sum(sizeOf: (hub: EventHub) => number): number {
    let sum = 0;
    for (const hub of this.#hubs) sum += sizeOf(hub);
    return sum;
  }
}

/** @param lastEventId the last event that the client has seen, if any @throws Problem */
function openStream({ hub, list }: Mount, lastEventId?: string): StreamedContent {
  if (hub === undefined) throw new TypeError('the mount has no event streams');
  // Commits before the first stream are not in the history.
  if (!hub.hasBeenOpened) hub.history.restart(list.items.table.lastCommit);
  return hub.open(lastEventId);
}

function batchesOf(
  changes: ChangeList<ItemFields>,
  { rowJson }: ItemList,
  maxBytes: number,
): readonly EventBatch[] {
  const leastBytes = changes.length * ID_BYTES;
  // None of its events is ever made, because the history drops this batch at once.
  if (leastBytes > maxBytes) return [{ events: () => [], bytes: leastBytes }];
  const rows = Array.from(changes, ({ put, deleted }) => put ?? deleted.id);
  const eventOf = (row: Item | ItemId) =>
    typeof row === 'object'
      ? { event: PUT, data: rowJson.jsonOf(row) }
      : { event: DELETE, data: byteString(`{"id":${row}}`) };
  const batches: EventBatch[] = [];
  for (let at = 0; at < rows.length; at += MAX_BATCH) {
    const batch = rows.length > MAX_BATCH ? rows.slice(at, at + MAX_BATCH) : rows;
    const bytes = batch.reduce((sum: number, row) => sum + bytesOf(row), 0);
    batches.push({ events: () => batch.map(eventOf), bytes });
  }
  return batches;
}

/** The memory that a reference to a row, or an id, may hold, in bytes. */
function bytesOf(row: Item | ItemId): number {
  if (typeof row !== 'object') return ID_BYTES;
  let bytes = ROW_BYTES;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}

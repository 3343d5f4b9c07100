import { type EventBatch, EventHub, type StreamedContent } from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import type { Feature } from '../feature.ts';
import type { DescribedRoute } from '../operation.ts';
import type { Item, ItemId } from '../store/items.ts';
import type { ItemResource } from '../todo/item-resource.ts';
import type { Place, TodoList } from '../todo/todo-list.ts';
import { cutStreamsRoute, eventsRoute } from './events-route.ts';

const PUT = byteString('put');
const DELETE = byteString('delete');

/** The maximum number of events in a batch: creating them takes tenths of a millisecond. */
const MAX_BATCH = 256;

/** The memory of a row besides its texts, and of an id, in bytes. */
const ROW_BYTES = 160;
const ID_BYTES = 32;

interface EventOptions {
  /** The maximum number of open streams, of all places together. */
  readonly maxStreams: number;
  /** Whether no stream may be added, because those that are open take too much memory. */
  readonly isMemoryScarce: () => boolean;
  /** Whether other processes write to the store, and have streams of their own. */
  readonly isShared: boolean;
}

/**
 * The events of changes to items (api.md: "Change events"). A stream is at a place: a reset, which
 * puts another list there, is an event of it.
 */
export class ItemEvents implements Feature {
  /** The path of the stream. */
  readonly path: string;
  readonly routes: readonly DescribedRoute[];
  readonly #options: EventOptions;
  readonly #hubs = new Map<Place, EventHub>();

  constructor(resource: ItemResource, options: EventOptions) {
    const route = eventsRoute(resource, (place, lastEventId) => this.open(place, lastEventId));
    this.path = route.path;
    this.routes = [route, cutStreamsRoute((place) => this.cut(place))];
    this.#options = options;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#sum(({ size }) => size);
  }

  /** The memory of past events, in bytes. */
  get historyBytes(): number {
    return this.#sum(({ history }) => history.bytes);
  }

  /** Sends the events of each commit from now on; first `reset`, if it is not the first list. */
  onNewList(list: TodoList): void {
    const { place, items } = list;
    const hub = this.#hubs.get(place);
    hub?.reset(items.table.lastCommit);
    if (hub === undefined) this.#hubs.set(place, this.#createHub(place));
    items.table.onCommit(({ number, changes, isReplacement }) => {
      // The items of a previous list may still change, by requests that it has taken up.
      if (place.list.items !== items || place.isRemoved) return;
      const current = this.#hubAt(place);
      if (isReplacement) current.reset(number);
      else if (this.#keepsHistory(current)) {
        const rows = Array.from(changes, ({ put, deleted }) => put ?? deleted.id);
        current.publish({ number, batches: batchesOf(rows, place) });
      }
    });
  }

  onRemove({ place }: TodoList): void {
    this.#hubs.get(place)?.end();
    this.#hubs.delete(place);
  }

  onStop(): void {
    for (const hub of this.#hubs.values()) hub.end();
  }

  /** Ends all open streams of a place. */
  cut(place: Place): void {
    this.#hubs.get(place)?.endStreams();
  }

  /**
   * Creates the content of a stream. @throws Problem
   * @param lastEventId the last event that the client has seen, if any
   */
  async open(place: Place, lastEventId?: string): Promise<StreamedContent> {
    const hub = this.#hubAt(place);
    const { store } = place.list;
    const { history } = hub;
    const seen = history.numberOf(lastEventId ?? '') ?? history.lastCommit + 1;
    // Another replica may have sent the event.
    const isBehind = lastEventId !== undefined && seen > history.lastCommit;
    if (isBehind || store.listId() === '') await store.read(() => {});
    // Commits before the first stream are not in the history.
    if (!this.#keepsHistory(hub)) history.restart(place.list.items.table.lastCommit);
    return hub.open(lastEventId);
  }

  /** The hub of a place. A place that has been removed gets one whose streams end at once. */
  #hubAt(place: Place): EventHub {
    const hub = this.#hubs.get(place);
    if (hub !== undefined) return hub;
    const ended = this.#createHub(place);
    ended.end();
    return ended;
  }

  #createHub(place: Place): EventHub {
    return new EventHub(() => place.list.store.listId(), {
      isFull: () => this.size >= this.#options.maxStreams || this.#options.isMemoryScarce(),
      maxHistoryBytes: place.options.budget.history,
    });
  }

  /** Whether there may be a stream, or a client that resumes. Otherwise, commits are not published. */
  #keepsHistory(hub: EventHub): boolean {
    return hub.hasBeenOpened || this.#options.isShared;
  }

  #sum(sizeOf: (hub: EventHub) => number): number {
    let sum = 0;
    for (const hub of this.#hubs.values()) sum += sizeOf(hub);
    return sum;
  }
}

function batchesOf(rows: readonly (Item | ItemId)[], place: Place): readonly EventBatch[] {
  const eventOf = (row: Item | ItemId) =>
    typeof row === 'object'
      ? { event: PUT, data: place.list.rowJson.jsonOf(row) }
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

import { type EventBatch, EventHub, type StreamedContent } from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import type { Item, ItemId } from '../store/items.ts';
import type { ItemResource } from './item-resource.ts';

const PUT = byteString('put');
const DELETE = byteString('delete');

/** The maximum number of events in a batch: creating them takes tenths of a millisecond. */
const MAX_BATCH = 256;

/** The memory of a row besides its texts, and of an id, in bytes. */
const ROW_BYTES = 160;
const ID_BYTES = 32;

/** Limits of event streams. */
interface StreamLimits {
  readonly maxStreams: number;
  /** The maximum memory for past events, in bytes. */
  readonly maxHistoryBytes: number;
}

/** The events of changes to items (api.md: "Change events"), and the hub that sends them. */
export class ItemEvents {
  readonly hub: EventHub;
  readonly #resource: ItemResource;

  /** Sends the events of each commit from now on. */
  constructor(resource: ItemResource, { maxStreams, maxHistoryBytes }: StreamLimits) {
    const { items, store } = resource;
    const isFull = () => hub.size >= maxStreams;
    const hub: EventHub = new EventHub(() => store.listId(), { isFull, maxHistoryBytes });
    this.hub = hub;
    this.#resource = resource;
    // Without earlier streams, here or at another replica, no client can have an event id.
    const hasClients = () => hub.hasBeenOpened || (maxStreams > 0 && store.sharing !== undefined);
    items.table.onCommit(({ number, changes, isReplacement }) => {
      if (isReplacement) hub.reset(number);
      else if (!hasClients()) hub.history.restart(number);
      else {
        const rows = Array.from(changes, ({ put, deleted }) => put ?? deleted.id);
        hub.publish({ number, batches: this.#batchesOf(rows) });
      }
    });
  }

  /**
   * Creates the content of a stream. @throws Problem
   * @param lastEventId the last event that the client has seen, if any
   */
  async open(lastEventId: string | undefined): Promise<StreamedContent> {
    const { history } = this.hub;
    const { store } = this.#resource;
    const seen = history.numberOf(lastEventId ?? '') ?? history.lastCommit + 1;
    // Another replica may have sent the event.
    const isBehind = lastEventId !== undefined && seen > history.lastCommit;
    if (isBehind || store.generation() === '') await store.read(() => {});
    return this.hub.open(lastEventId);
  }

  #batchesOf(rows: readonly (Item | ItemId)[]): readonly EventBatch[] {
    const batches: EventBatch[] = [];
    for (let at = 0; at < rows.length; at += MAX_BATCH) {
      const batch = rows.length > MAX_BATCH ? rows.slice(at, at + MAX_BATCH) : rows;
      const bytes = batch.reduce((sum: number, row) => sum + bytesOf(row), 0);
      batches.push({ events: () => batch.map(this.#eventOf), bytes });
    }
    return batches;
  }

  readonly #eventOf = (row: Item | ItemId) =>
    typeof row === 'object'
      ? { event: PUT, data: this.#resource.rowJson.jsonOf(row) }
      : { event: DELETE, data: byteString(`{"id":${row}}`) };
}

/** The memory that a reference to a row, or an id, may hold, in bytes. */
function bytesOf(row: Item | ItemId): number {
  if (typeof row !== 'object') return ID_BYTES;
  let bytes = ROW_BYTES;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}

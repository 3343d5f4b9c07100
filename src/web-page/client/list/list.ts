import type { StreamEvent } from '../api/event-parser.ts';
import { RETRY_MS, statusOf } from '../api/exchange.ts';
import type { Item, Service } from '../api/service.ts';
import { type ListQuery, linksOf } from './list-query.ts';

/** The least time to collect changes before the list is fetched again, in milliseconds. */
const REFRESH_DELAY_MS = 150;

/** The part of the list that is shown. Fires `change`, and `reset` when ids mean other items. */
export class List extends EventTarget {
  query: ListQuery;
  items: readonly Item[] = [];
  total = 0;
  links: ReadonlyMap<string, string> = new Map();
  /** The error if the list could not be fetched. */
  problem: unknown;
  /** Whether the event stream is lost; it reports when the service is back. */
  isOffline = false;
  hasLoaded = false;
  isLoading = false;
  /** Called when an item was changed, or deleted if it is undefined, by any client. */
  onItemChange = (_id: string, _item?: Item) => {};
  readonly #service: Service;
  /** The items changed since the list was last requested; undefined if they were deleted. */
  readonly #since = new Map<string, Item | undefined>();
  #fetchedPath = '';
  #request = new AbortController();
  #refreshTimer: number | undefined;
  #isStale = false;
  #lastDurationMs = 0;

  constructor(service: Service, query: ListQuery) {
    super();
    this.#service = service;
    this.query = query;
  }

  /** Fetches a part of the list; gives up earlier requests; never fails. */
  async load(query = this.query): Promise<void> {
    this.query = query;
    this.isLoading = true;
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#isStale = false;
    this.#since.clear();
    this.dispatchEvent(new Event('change'));
    try {
      const path = query.apiPath;
      const { headers, text, durationMs } = await this.#service.get(path, signal);
      this.#lastDurationMs = durationMs;
      // The response may be older than the changes that came during the request.
      const received = this.#service.readItems(text);
      this.items = received.flatMap((item) => {
        return this.#since.has(item.id) ? (this.#since.get(item.id) ?? []) : item;
      });
      const deleted = received.length - this.items.length;
      this.total = Number(headers.get('X-Total-Count')) - deleted;
      this.links = linksOf(headers.get('Link'));
      this.#fetchedPath = path;
      this.problem = undefined;
      this.hasLoaded = true;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
    if (signal.aborted) return;
    this.isLoading = false;
    this.dispatchEvent(new Event('change'));
    if (this.#isStale) this.refresh();
  }

  /** Fetches the list again soon, once for all changes until then. */
  refresh(): void {
    this.#isStale = true;
    if (this.isLoading || this.#refreshTimer !== undefined) return;
    const wait = Math.max(REFRESH_DELAY_MS, 2 * this.#lastDurationMs);
    this.#refreshTimer = setTimeout(() => this.load(), wait);
  }

  /** Applies an event of the stream to the items. */
  async applyEvent({ event, data }: StreamEvent): Promise<void> {
    if (event === 'reset') this.dispatchEvent(new Event('reset'));
    if (event === 'ready' && !this.isLoading) await this.load();
    else if (event === 'ready' || event === 'reset') this.refresh();
    else if (event === 'put') this.setItem(this.#service.readItem(data));
    else if (event === 'delete') this.removeItem(this.#service.readItem(data).id);
  }

  /** Shows an item that was created or changed, by this page or another client. */
  setItem(item: Item): void {
    const known = this.items.find(({ id }) => id === item.id);
    this.#since.set(item.id, item);
    this.onItemChange(item.id, item);
    if (known && this.#service.differences(known, item).length === 0) return;
    if (known) {
      this.items = this.items.map((each) => (each === known ? item : each));
      this.dispatchEvent(new Event('change'));
    }
    if (!known || this.query.dependsOnFields) this.refresh();
  }

  /** Shows the result of a change, and fetches again: an event may have announced a later one. */
  showResult(item: Item): void {
    this.setItem(item);
    this.refresh();
  }

  /** Shows that an item was deleted, by this page or another client. */
  removeItem(id: string): void {
    this.#since.set(id, undefined);
    this.onItemChange(id);
    if (this.items.some((each) => each.id === id)) this.total--;
    this.items = this.items.filter((each) => each.id !== id);
    this.dispatchEvent(new Event('change'));
    this.refresh();
  }

  /** Drops the items of another query, and tries again if the failure may be temporary. */
  #failed(error: unknown): void {
    this.problem = error;
    if (this.#fetchedPath !== this.query.apiPath) {
      this.items = [];
      this.total = 0;
      this.links = new Map();
    }
    const mayPass = statusOf(error) === 0 ? !this.isOffline : statusOf(error) >= 500;
    if (mayPass) this.#refreshTimer = setTimeout(() => this.load(), RETRY_MS);
  }
}

import { RETRY_MS, statusOf } from '../api/api-request.ts';
import type { StreamEvent } from '../api/event-parser.ts';
import type { Item, Service } from '../api/service.ts';
import type { ListQuery } from './list-query.ts';

/** The minimum time to collect changes before the list is fetched again, in milliseconds. */
const REFRESH_DELAY_MS = 50;

/** The visible part of the list. Fires `change`, and `reset` after that event of the stream. */
export class List extends EventTarget {
  query: ListQuery;
  items: readonly Item[] = [];
  total = 0;
  /** The error if the list could not be fetched. */
  problem: unknown;
  hasLoaded = false;
  /** Whether the event stream is open, so that it brings every change. */
  isLive = false;
  isLoading = false;
  readonly #service: Service;
  #fetchedPath = '';
  #request = new AbortController();
  #loading: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #lastDurationMs = 0;

  constructor(service: Service, query: ListQuery) {
    super();
    this.#service = service;
    this.query = query;
  }

  /** Fetches the list for the first time after `waitMs`, or when the event stream is ready before. */
  start(waitMs: number): void {
    this.#retry = setTimeout(() => this.#load(true), waitMs);
  }

  /** Fetches a part of the list, and aborts earlier requests. Never rejects. */
  load(query = this.query): Promise<void> {
    this.query = query;
    return this.#load(false);
  }

  /** Fetches the list after a short delay, which combines changes. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#fetchSoon();
    return this.#refreshing;
  }

  /** Follows an event of the stream. Fetches the list if the event may change more than an item. */
  async applyEvent({ event, data }: Pick<StreamEvent, 'event' | 'data'>): Promise<void> {
    if (event === 'ping') return;
    if (event === 'reset') this.dispatchEvent(new Event('reset'));
    if (event === 'put' && this.put(this.#service.readItem(data))) return;
    await (this.hasLoaded || this.isLoading ? this.refresh() : this.#load(true));
  }

  /** Replaces a shown item. @returns false if the list has to be fetched to show the change */
  put(item: Item): boolean {
    const shown = this.items.find(({ id }) => id === item.id);
    const isCurrent = !this.isLoading && !this.#refreshing && this.problem === undefined;
    if (shown === undefined || !isCurrent) return false;
    const changes = this.#service.differences(shown, item);
    if (changes.some((field) => this.query.isAffectedBy(field))) return false;
    this.items = this.items.map((each) => (each === shown ? item : each));
    this.dispatchEvent(new Event('change'));
    return true;
  }

  async #fetchSoon(): Promise<void> {
    const wait = Math.max(REFRESH_DELAY_MS, 2 * this.#lastDurationMs);
    await new Promise((resolve) => setTimeout(resolve, wait));
    // Otherwise frequent changes could abort each fetch of a slow service.
    await this.#loading;
    this.#refreshing = undefined;
    await this.#load(true);
  }

  #load(isBackground: boolean): Promise<void> {
    this.#loading = this.#fetch(isBackground);
    return this.#loading;
  }

  async #fetch(isBackground: boolean): Promise<void> {
    this.isLoading = true;
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    clearTimeout(this.#retry);
    this.dispatchEvent(new Event('change'));
    try {
      const path = this.query.apiPath;
      const { headers, text, durationMs } = await this.#service.get(path, { signal, isBackground });
      this.#lastDurationMs = durationMs;
      this.items = this.#service.readItems(text);
      this.total = Number(headers.get('X-Total-Count'));
      this.#fetchedPath = path;
      this.problem = undefined;
      this.hasLoaded = true;
    } catch (error) {
      if (signal.aborted) return;
      this.#failed(error);
    }
    this.isLoading = false;
    this.dispatchEvent(new Event('change'));
  }

  /** Drops the items of another query, and tries again if the failure may be temporary. */
  #failed(error: unknown): void {
    this.problem = error;
    if (this.#fetchedPath !== this.query.apiPath) {
      this.items = [];
      this.total = 0;
    }
    const mayPass = statusOf(error) === 0 || statusOf(error) >= 500;
    if (mayPass) this.#retry = setTimeout(() => this.refresh(), RETRY_MS);
  }
}

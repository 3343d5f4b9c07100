import type { Api } from '../api/api.ts';
import type { StreamEvent } from '../api/event-parser.ts';
import { ConnectionError, ProblemError } from '../api/problem.ts';
import { COLLECTION, differences, readTodo, readTodos, type Todo } from '../api/todo.ts';
import { parseJson, recordOf } from '../shared/json.ts';
import { linksOf, type View } from './address.ts';

/** The least time to collect changes before the list is fetched again, in milliseconds. */
const REFRESH_DELAY_MS = 150;

/** How long to wait before fetching the list again after a failure, in milliseconds. */
const RETRY_MS = 3_000;

/** What a list reports. */
export interface ListObserver {
  /** The items, their number or the problem has changed. */
  changed(): void;
  /** An item was changed, or deleted if `todo` is undefined, no matter by whom. */
  itemChanged(id: string, todo: Todo | undefined): void;
}

/** The part of the list that is shown, kept up to date. */
export class List {
  view: View;
  items: readonly Todo[] = [];
  total = 0;
  links: ReadonlyMap<string, string> = new Map();
  /** Why the list could not be fetched. */
  problem: unknown;
  /** Whether the event stream is lost; it reports when the service is back. */
  isOffline = false;
  hasLoaded = false;
  isLoading = false;
  /** Items that are about to be deleted, and so not shown. */
  readonly #hidden = new Set<string>();
  readonly #api: Api;
  readonly #observer: ListObserver;
  /** Items that changed since the list was last requested; null if they were deleted. */
  readonly #since = new Map<string, Todo | null>();
  #tag = { path: '', value: '' };
  #request: AbortController | undefined;
  #refreshTimer: number | undefined;
  #isStale = false;
  #lastDurationMs = 0;

  constructor(api: Api, view: View, observer: ListObserver) {
    this.#api = api;
    this.view = view;
    this.#observer = observer;
  }

  /** The items to show. */
  get shown(): readonly Todo[] {
    return this.items.filter(({ id }) => !this.#hidden.has(id));
  }

  /** How many items match in all, without those about to be deleted. */
  get shownTotal(): number {
    return Math.max(0, this.total - (this.items.length - this.shown.length));
  }

  hide(id: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(id);
    else this.#hidden.delete(id);
    this.#observer.changed();
  }

  /** Shows another part of the list. The response to an earlier request is ignored. */
  open(view: View): Promise<void> {
    this.view = view;
    return this.load();
  }

  /** Fetches the list, unless it has not changed. */
  async load(): Promise<void> {
    this.#request?.abort();
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#isStale = false;
    this.#since.clear();
    const request = new AbortController();
    this.#request = request;
    this.isLoading = true;
    this.#observer.changed();
    const startedAt = performance.now();
    try {
      await this.#fetch(request.signal);
    } catch (error) {
      if (request.signal.aborted) return;
      this.#failed(error);
    }
    if (request.signal.aborted) return;
    this.#lastDurationMs = performance.now() - startedAt;
    this.#request = undefined;
    this.isLoading = false;
    this.#observer.changed();
    if (this.#isStale) this.refresh();
  }

  /** Fetches the list again soon, once for all changes until then. */
  refresh(): void {
    this.#isStale = true;
    if (this.#request !== undefined || this.#refreshTimer !== undefined) return;
    const wait = Math.max(REFRESH_DELAY_MS, 2 * this.#lastDurationMs);
    this.#refreshTimer = setTimeout(() => this.load(), wait);
  }

  /** Handles an event of the service's stream. */
  take({ event, data }: StreamEvent): void {
    if (event === 'ready' && this.#request === undefined) this.load();
    else if (event === 'ready') this.refresh();
    else if (event === 'reset') this.refresh();
    else if (event === 'put') this.put(readTodo(data));
    else if (event === 'delete') this.removed(String(recordOf(parseJson(data)).id));
  }

  /** An item was created or changed. */
  put(todo: Todo): void {
    const known = this.items.find(({ id }) => id === todo.id);
    this.#since.set(todo.id, todo);
    if (known !== undefined && differences(known, todo).length === 0) return;
    this.#observer.itemChanged(todo.id, todo);
    if (known !== undefined) {
      this.items = this.items.map((each) => (each === known ? todo : each));
      this.#observer.changed();
    }
    if (known === undefined || this.view.dependsOnFields) this.refresh();
  }

  /** An item was deleted. */
  removed(id: string): void {
    this.#since.set(id, null);
    this.#observer.itemChanged(id, undefined);
    const before = this.items;
    this.items = before.filter((each) => each.id !== id);
    if (this.items.length < before.length) this.total--;
    this.#hidden.delete(id);
    this.#observer.changed();
    this.refresh();
  }

  /** Removes the items of another view, and tries again if the failure may be temporary. */
  #failed(error: unknown): void {
    this.problem = error;
    if (this.#tag.path !== this.view.apiPath(COLLECTION)) {
      this.items = [];
      this.total = 0;
      this.links = new Map();
      this.#tag = { path: '', value: '' };
    }
    const isLost = error instanceof ConnectionError;
    const mayPass = isLost ? !this.isOffline : error instanceof ProblemError && error.status >= 500;
    if (mayPass) this.#refreshTimer = setTimeout(() => this.load(), RETRY_MS);
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const path = this.view.apiPath(COLLECTION);
    const condition = path === this.#tag.path ? [['If-None-Match', this.#tag.value] as const] : [];
    const { status, headers, text } = await this.#api.send('GET', path, {
      headers: [['Accept', 'application/json'], ...condition],
      signal,
    });
    if (status !== 304) {
      this.items = readTodos(text);
      this.total = Number(headers.get('X-Total-Count') ?? this.items.length);
      this.links = linksOf(headers.get('Link'));
      this.#tag = { path, value: headers.get('ETag') ?? '' };
    }
    this.problem = undefined;
    this.hasLoaded = true;
    this.#catchUp();
  }

  /** Applies changes that came during the request, since the response may be older. */
  #catchUp(): void {
    this.items = this.items
      .filter(({ id }) => this.#since.get(id) !== null)
      .map((each) => this.#since.get(each.id) ?? each);
  }
}

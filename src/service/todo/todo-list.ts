import { localPathOf, type Request, type RouteSet, Site } from '../../lib/http/index.ts';
import type { ByteString } from '../../lib/json/index.ts';
import type { DescribedRoute } from '../operation.ts';
import { RowJsonCache } from '../resource/serializer.ts';
import type { FoundItem, Items } from '../store/items.ts';
import type { Store } from '../store/store.ts';
import type { ItemResource } from './item-resource.ts';

/** The memory that a place may take, in bytes. */
export interface MemoryBudget {
  readonly items: number;
  /** Cached JSON of items. */
  readonly cache: number;
  /** Past events, for clients that resume. */
  readonly history: number;
  readonly journal: number;
}

/** A part of the service that has state for each list or for each place. */
export interface ListObserver {
  /** A list with new items has been put in its place: the first one, or another one. */
  onNewList?(list: TodoList): void;
  /** Delays and waits of a list have to end: it was replaced or removed, or the service stops. */
  onEnd?(list: TodoList): void;
  /** A list has been removed with its place. */
  onRemove?(list: TodoList): void;
}

export interface PlaceOptions {
  /** The name of the place; empty for the list at the base path. */
  readonly name: string;
  readonly basePath: string;
  readonly routeSet: RouteSet<DescribedRoute>;
  readonly resource: ItemResource;
  /** Whether requests for a path, relative to the base path, belong to the place. */
  readonly isOfPlace: (localPath: string) => boolean;
  readonly observers: readonly ListObserver[];
  readonly budget: MemoryBudget;
}

/**
 * A path prefix with a list. A reset puts another list there. The place is the site of event streams
 * and admin requests. The site of any other request is the list that takes it up, a {@link TodoList}.
 */
export class Place extends Site {
  readonly options: PlaceOptions;
  isRemoved = false;
  #list: TodoList;
  #maxItemBytes: number;

  constructor(options: PlaceOptions, store: Store) {
    super(options.basePath, options.routeSet);
    this.options = options;
    this.#maxItemBytes = options.budget.items;
    this.#list = new TodoList(this, store);
    for (const observer of options.observers) observer.onNewList?.(this.#list);
  }

  /** The place that has taken up a request, or whose list has. */
  static of(request: Pick<Request, 'site'>): Place {
    return TodoList.of(request).place;
  }

  get name(): string {
    return this.options.name;
  }

  get list(): TodoList {
    return this.#list;
  }

  /** The maximum memory of the items, in bytes, also of those of the next list. */
  get maxItemBytes(): number {
    return this.#maxItemBytes;
  }

  set maxItemBytes(bytes: number) {
    this.#maxItemBytes = bytes;
    this.list.items.table.maxBytes = bytes;
  }

  /** The site of a path below this place. */
  siteOf(path: string): Site {
    return this.options.isOfPlace(localPathOf(path, this.basePath)) ? this : this.#list;
  }

  /** Replaces the list. */
  put(store: Store): void {
    const previous = this.#list;
    const hasNewItems = previous.items !== store.items;
    const { observers } = this.options;
    this.#list = new TodoList(this, store);
    if (hasNewItems) previous.retire();
    for (const observer of observers) observer.onEnd?.(previous);
    if (hasNewItems) for (const observer of observers) observer.onNewList?.(this.#list);
  }

  /** Removes the list. Requests that it has taken up still end normally. */
  remove(): void {
    this.isRemoved = true;
    this.#list.retire();
    this.end();
    for (const observer of this.options.observers) observer.onRemove?.(this.#list);
  }

  /** Ends delays and waits. */
  end(): void {
    for (const observer of this.options.observers) observer.onEnd?.(this.#list);
  }
}

/**
 * The items between two resets, with their commits and entity tags. A request keeps the list that has
 * taken it up, also when a reset has put another one in its place.
 */
export class TodoList extends Site {
  readonly place: Place;
  readonly store: Store;
  readonly items: Items;
  readonly rowJson: RowJsonCache;
  /** The last whole list that was one part (256 KiB), with its tag. A newer one replaces it. */
  cachedList: { readonly tag: string; readonly text: ByteString | Buffer } | undefined;
  /** Called when a list that is retired has no request any more. */
  onForgotten = (): void => {};
  #isRetired = false;

  constructor(place: Place, store: Store) {
    super(place.basePath, place.options.routeSet);
    const { resource, budget } = place.options;
    this.place = place;
    this.store = store;
    this.items = store.items;
    this.rowJson = new RowJsonCache(resource.serialize, budget.cache);
  }

  /** The list that has taken up a request. If a {@link Place} has, its current list. */
  static of({ site }: Pick<Request, 'site'>): TodoList {
    if (site instanceof TodoList) return site;
    if (site instanceof Place) return site.list;
    throw new TypeError('the site of the request is not a list');
  }

  /** Event: another list is in its place. Its memory is that of its requests from now on. */
  retire(): void {
    this.#isRetired = true;
  }

  override get heldBytes(): number {
    return this.#isRetired ? this.items.table.bytes + this.rowJson.bytes : 0;
  }

  override leave(): void {
    super.leave();
    if (this.#isRetired && this.requests === 0) this.onForgotten();
  }

  /**
   * The strong entity tag of the items that a commit wrote (api.md: "Conditional requests").
   * @param suffix distinguishes the results of queries as of this commit
   */
  tagOfCommit(number: number, suffix = ''): string {
    return `"${this.store.listId()}.${number}${suffix}"`;
  }

  /** The entity tag of an item as it was last written. */
  tagOf({ commit }: FoundItem): string {
    return this.tagOfCommit(commit);
  }
}

/** Parts that lists have, each its own. A part is made when it is first needed. */
export class PartOfLists<T extends object> {
  readonly #make: (list: TodoList) => T;
  readonly #parts = new WeakMap<TodoList, T>();

  constructor(make: (list: TodoList) => T) {
    this.#make = make;
  }

  of(list: TodoList): T {
    let part = this.#parts.get(list);
    if (part === undefined) {
      part = this.#make(list);
      this.#parts.set(list, part);
    }
    return part;
  }
}

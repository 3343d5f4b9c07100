import type { EventHub, Held, Request, Router, Site } from '../../lib/http/index.ts';
import type { ByteString } from '../../lib/json/index.ts';
import type { DescribedRoute } from '../operation.ts';
import type { RowJsonCache } from '../resource/serializer.ts';
import type { FoundItem, Items } from '../store/items.ts';
import type { Store } from '../store/store.ts';

/** The memory that a place may take, in bytes. */
export interface MemoryBudget {
  items: number;
  /** Cached JSON of items. */
  readonly cache: number;
  /** Past events, for clients that resume. */
  readonly history: number;
  readonly journal: number;
}

/** A path prefix, its event streams, and the list that is there now. A reset replaces the list. */
export interface Place {
  /** Empty for the list at the base path. */
  readonly name: string;
  readonly basePath: string;
  readonly budget: MemoryBudget;
  /** Its event streams, for which a reset is an event; undefined if there are none. */
  readonly hub: EventHub | undefined;
  list: TodoList;
  /** When the last request other than admin requests was received, by `clock.now()`. */
  lastRequestAt: number | undefined;
  isRemoved: boolean;
}

/** Something that an optional part of the service adds to each list, such as its journal. */
export interface ListPart {
  /** Ends delays and waits: the list was replaced or removed, or the service stops. */
  end(): void;
  /** Event: another part of the list has changed. */
  onOtherChange?(): void;
}

/**
 * A list: its items, with their commits and entity tags, and its parts. A reset begins all of them
 * again, in another list. A request uses the list that was in the place at its turn, to its end.
 */
export class TodoList implements Held {
  readonly store: Store;
  readonly items: Items;
  readonly rowJson: RowJsonCache;
  readonly #parts: readonly ListPart[];
  /** The JSON and the tag of the last response with the whole list in one part (256 KiB). */
  cachedList: { readonly tag: string; readonly text: ByteString | Buffer } | undefined;
  /** Its number in the order in which lists were replaced or removed; undefined until then. */
  retirementNumber: number | undefined;

  constructor(store: Store, rowJson: RowJsonCache, parts: readonly ListPart[]) {
    this.store = store;
    this.items = store.items;
    this.rowJson = rowJson;
    this.#parts = parts;
  }

  /** The part of the given class. @throws TypeError if the service is without this part */
  part<T extends ListPart>(type: abstract new (...options: never[]) => T): T {
    for (const part of this.#parts) if (part instanceof type) return part;
    throw new TypeError(`lists have no ${type.name}`);
  }

  /** Ends delays and waits: it was replaced or removed, or the service stops. */
  end(): void {
    for (const part of this.#parts) part.end();
  }

  get heldBytes(): number {
    return this.retirementNumber === undefined ? 0 : this.items.table.bytes + this.rowJson.bytes;
  }

  /**
   * The strong entity tag of an item or a list as of a commit (api.md: "Conditional requests").
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

/** The site of a request: its prefix, routes and place, and the list that it holds. */
export class TodoSite implements Site {
  readonly basePath: string;
  readonly router: Router<DescribedRoute>;
  readonly place: Place;
  /** The list that the request keeps to its end; undefined if it uses the one in the place. */
  readonly held: TodoList | undefined;

  constructor(
    basePath: string,
    router: Router<DescribedRoute>,
    place: Place,
    held: TodoList | undefined,
  ) {
    this.basePath = basePath;
    this.router = router;
    this.place = place;
    this.held = held;
  }

  /** The site of a request whose turn has come. */
  static of({ site }: Pick<Request, 'site'>): TodoSite {
    if (site instanceof TodoSite) return site;
    throw new TypeError('the request has no site yet');
  }

  /** The list that the request holds, or else the one that is in the place now. */
  get list(): TodoList {
    return this.held ?? this.place.list;
  }
}

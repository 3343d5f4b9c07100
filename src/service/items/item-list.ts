import type { EventHub, Request, Router, Site } from '../../lib/http/index.ts';
import type { ByteString } from '../../lib/json/index.ts';
import type { DescribedRoute } from '../operation.ts';
import type { RowJsonCache } from '../resource/serializer.ts';
import type { Items, WrittenItem } from '../store/items.ts';
import type { Store } from '../store/store.ts';

/** The memory that the list of a mount may take, in bytes. */
export interface MemoryBudget {
  items: number;
  /** Cached JSON of items. */
  readonly cache: number;
  /** Past events, for clients that resume. */
  readonly history: number;
  readonly journal: number;
}

/** Where a list is: a path prefix, and the event streams there. A reset puts another list there. */
export interface Mount {
  /** Empty for the list at the base path. */
  readonly name: string;
  readonly basePath: string;
  readonly budget: MemoryBudget;
  /** Its event streams, for which a reset is an event; undefined if there are none. */
  readonly hub: EventHub | undefined;
  list: ItemList;
  /** When the last request other than admin requests was due, by `clock.time()`. */
  lastRequestAt: number | undefined;
  isRemoved: boolean;
}

/** What an optional feature keeps for each list, such as its journal. */
export interface ListFeature {
  /** Ends delays and waits: the list was replaced or removed, or the service stops. */
  end(): void;
  /** Event: another feature of the list has changed. */
  onOtherChange?(): void;
}

/**
 * A list: its items, with their commits and entity tags, and its features. A reset begins all
 * of them again, in another list. A request uses the list that was mounted when it was due, to its end.
 */
export class ItemList {
  readonly store: Store;
  readonly items: Items;
  readonly rowJson: RowJsonCache;
  readonly features: readonly ListFeature[];
  /** The last response with the whole list in one part (256 KiB). */
  cachedList:
    | { readonly tag: string; readonly text: ByteString | Buffer; readonly total: number }
    | undefined;

  constructor(store: Store, rowJson: RowJsonCache, features: readonly ListFeature[]) {
    this.store = store;
    this.items = store.items;
    this.rowJson = rowJson;
    this.features = features;
  }

  /** The feature of the given class. @throws TypeError if the service is without it */
  feature<T extends ListFeature>(type: abstract new (...options: never[]) => T): T {
    for (const feature of this.features) if (feature instanceof type) return feature;
    throw new TypeError(`lists have no ${type.name}`);
  }

  /** Ends delays and waits: it was replaced or removed, or the service stops. */
  end(): void {
    for (const feature of this.features) feature.end();
  }

  /**
   * The strong entity tag of an item or a list as of a commit (api.md: "Conditional requests").
   * @param suffix distinguishes the results of queries as of this commit
   */
  tagOfCommit(number: number, suffix = ''): string {
    return `"${this.store.id}.${number}${suffix}"`;
  }

  /** The entity tag of an item as it was last written. */
  tagOf({ commit }: WrittenItem): string {
    return this.tagOfCommit(commit);
  }
}

/** The site of a request: its prefix, routes and mount, and the list that it holds. */
export class ListSite implements Site {
  readonly basePath: string;
  readonly router: Router<DescribedRoute>;
  readonly mount: Mount;
  /** The list that the request keeps to its end; undefined if it uses the mounted one. */
  held: ItemList | undefined;

  constructor(
    basePath: string,
    router: Router<DescribedRoute>,
    mount: Mount,
    held: ItemList | undefined,
  ) {
    this.basePath = basePath;
    this.router = router;
    this.mount = mount;
    this.held = held;
  }

  /** The site of a request that is due. */
  static of({ site }: Pick<Request, 'site'>): ListSite {
    if (site instanceof ListSite) return site;
    throw new TypeError('the request has no site yet');
  }

  /** The list that the request holds, or else the one that is mounted now. */
  get list(): ItemList {
    return this.held ?? this.mount.list;
  }
}

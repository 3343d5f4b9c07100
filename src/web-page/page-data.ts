/** The facts about a service that its page contains, as JSON. */
export interface PageData extends PageItems {
  readonly title: string;
  readonly version: string;
  /** The names of the lists below `lists/` that the page links. */
  readonly lists: readonly string[];
  /** Whether there are no items at the path of the page, only in the lists. */
  readonly needsList: boolean;
  /** Whether the service has paths below `/admin`. */
  readonly isControlled: boolean;
  /** The path of all items, as faults have it. */
  readonly faultPath: string;
  /** The maximum size of a seed over HTTP, in bytes. */
  readonly maxSeedBytes: number;
}

/** The facts about the items. */
export interface PageItems {
  /** The path of all items, below the path of the page. */
  readonly collection: string;
  /** The path of the event stream; absent if there is none. */
  readonly events?: string | undefined;
  /** The maximum number of items to create in a request. */
  readonly maxBatch: number;
  /** The content of requests that create sample items. */
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  /** The fields of items, in their order. */
  readonly fields: readonly PageField[];
  readonly roles: PageRoles;
  readonly words: PageWords;
  /** Whether the list can be searched. */
  readonly isSearched: boolean;
  /** The meaning of each operator of filters, which completes "items whose priority …". */
  readonly operators: Readonly<Record<string, string>>;
}

/** The names of the fields that have a role in the page. Without a title, an item has its id. */
export interface PageRoles {
  readonly id: string;
  readonly title?: string | undefined;
  /** Further texts. */
  readonly details: readonly string[];
  /** Whether an item is done. */
  readonly done?: string | undefined;
  /** One of a few values, which a row can change. */
  readonly choice?: string | undefined;
}

/** How the page calls the items. */
export interface PageWords {
  readonly heading: string;
  readonly one: string;
  readonly many: string;
  /** The sentence about an empty list. */
  readonly none: string;
}

/** A field of items. What is not so is left out, because the page contains all of it. */
export interface PageField {
  readonly name: string;
  readonly description: string;
  /** The type of its values, apart from null. */
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'instant' | 'json';
  /** Whether null is a value. */
  readonly isNullable?: boolean | undefined;
  /** Whether an item may lack it; then null in a patch removes it. */
  readonly isOptional?: boolean | undefined;
  readonly isCreatable?: boolean | undefined;
  readonly isEditable?: boolean | undefined;
  /** Whether a text may have several lines. */
  readonly isLong?: boolean | undefined;
  /** All values, if they are a few texts or consecutive integers; else empty. */
  readonly choices: readonly (string | number)[];
  /** The operators of its filters. */
  readonly operators: readonly string[];
}

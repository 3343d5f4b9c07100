/** The facts about a service that its page contains, as JSON. */
export interface PageData extends PageItems {
  readonly title: string;
  readonly version: string;
  /** The names of the lists below `lists/` that the page links. */
  readonly lists: readonly string[];
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
  /** The meaning of each operator of filters, which completes "items whose priority …". */
  readonly operators: Readonly<Record<string, string>>;
}

/**
 * The names of the fields that have a role in the page. `details` is a long text, `priority` one of
 * a few integers.
 */
export type PageRoles<Name extends string = string> = Readonly<
  Record<'id' | 'title' | 'details' | 'done' | 'priority', Name>
>;

/** A field of items. */
export interface PageField {
  readonly name: string;
  readonly description: string;
  /** The type of its values, apart from null. */
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'instant' | 'json';
  readonly isNullable: boolean;
  readonly isCreatable: boolean;
  readonly isEditable: boolean;
  /** Whether a text may have several lines. */
  readonly isLong: boolean;
  /** All values, if they are a few consecutive integers; else empty. */
  readonly choices: readonly number[];
  /** The operators of its filters. */
  readonly operators: readonly string[];
}

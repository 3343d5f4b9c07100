import { JSON_MEDIA_TYPE, type Request } from '../../lib/http/index.ts';
import { NamedSchema } from '../../lib/json/index.ts';
import type { Synchronous } from '../../lib/table/index.ts';
import {
  type DescribedRoute,
  describedRoute,
  type FieldDescriptions,
  type Operation,
  type ResponseDescription,
  type Tag,
} from '../operation.ts';
import { exampleOf, itemSchema } from '../resource/content-shape.ts';
import type { ContentRules } from '../resource/field.ts';
import { RowJsonCache, serializerOf } from '../resource/serializer.ts';
import type { FoundItem, ItemFields, Items } from '../store/items.ts';
import type { Store } from '../store/store.ts';
import { rulesOf } from './all-variants.ts';
import type { ItemApi, Variant } from './variant.ts';

export const TAG: Tag = { name: 'Todos', description: 'What is to be done.' };

export const ITEM_TAG = { ETag: 'Changes if and only if the item changes.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };

/** Refuses requests from before the last reset (testing.md: "Reset"). */
interface ResetCheck {
  /** @throws Problem `reset` */
  check(request: Pick<Request, 'number'>): void;
}

/** The fields, store, cache and entity tags that all routes of items share. */
export class ItemResource {
  readonly fields: ItemFields;
  readonly rules: ContentRules;
  readonly api: ItemApi;
  readonly store: Store;
  readonly resets: ResetCheck;
  readonly items: Items;
  readonly rowJson: RowJsonCache;
  readonly schema: NamedSchema;
  /** As `Sharing.representation`; empty if no other process shares the store. */
  readonly #representation: string;

  /**
   * @param cacheBytes the maximum memory of the cache of items' JSON
   * @param isStrict whether unknown names are refused (`STRICT`)
   */
  constructor(
    { fields, api }: Pick<Variant, 'fields' | 'api'>,
    store: Store,
    resets: ResetCheck,
    cacheBytes: number,
    isStrict = true,
  ) {
    this.fields = fields;
    this.rules = rulesOf({ fields }, isStrict);
    this.api = api;
    this.store = store;
    this.resets = resets;
    this.items = store.items;
    this.#representation = store.sharing?.representation ?? '';
    this.rowJson = new RowJsonCache(serializerOf(fields), cacheBytes);
    this.schema = new NamedSchema('Todo', () => {
      const [first = {}] = Object.values(api.examples.create);
      return { ...itemSchema(fields), examples: [exampleOf(fields, first)] };
    });
  }

  /** Describes a route of the collection, or of a path below it. */
  route(method: string, segment: string, operation: Omit<Operation, 'tag'>): DescribedRoute {
    const { collection } = this.api;
    const path = segment === '' ? collection : `${collection}/${segment}`;
    return describedRoute(method, path, { ...operation, tag: TAG });
  }

  /** `Store.write` for a request. Its work is refused if the list has been reset meanwhile. */
  write<T extends Synchronous, R>(
    request: Request,
    work: () => T,
    respond: (result: T, number: number) => R,
  ): R | Promise<R> {
    const checkedWork = () => {
      this.resets.check(request);
      return work();
    };
    return this.store.write(checkedWork, respond);
  }

  /**
   * The strong entity tag of the items that a commit wrote (api.md: "Conditional requests").
   * @param query distinguishes a list as of this commit
   */
  tagOfCommit(number: number, query = ''): string {
    return `"${this.store.listId()}${this.#representation}.${number}${query}"`;
  }

  /** The entity tag of an item as it was last written. */
  tagOf({ revision }: FoundItem): string {
    return this.tagOfCommit(revision);
  }

  /** Describes a response that is an item. */
  response(description: string, headers: FieldDescriptions): ResponseDescription {
    return { description, content: { [JSON_MEDIA_TYPE]: this.schema }, headers };
  }
}

import {
  type DescribedRoute,
  describedRoute,
  type FieldDescriptions,
  JSON_MEDIA_TYPE,
  type Operation,
  type Request,
  type ResponseDescription,
  type Tag,
} from '../../lib/http/index.ts';
import { type ByteString, type JsonObject, NamedSchema } from '../../lib/json/index.ts';
import type { ContentExamples } from '../resource/content.ts';
import type { FieldValues } from '../resource/field.ts';
import { itemExample, itemSchema } from '../resource/schema.ts';
import {
  type ComputedMembers,
  RowTexts,
  serializerOf,
  withComputed,
} from '../resource/serializer.ts';
import type { FoundItem, ItemFields, Items } from '../store/items.ts';
import type { Store } from '../store/store.ts';

/** What of the API of a variant does not follow from the fields of its items. */
export interface ItemApi<Name extends string = string> {
  /** The path of all items, such as `/api/todos`. If it is `/`, the web page is nowhere. */
  readonly collection: string;
  /** The fields that `search` looks in; the one that is likeliest to decide comes first. */
  readonly searched: readonly Name[];
  readonly examples: ContentExamples & { readonly where: JsonObject };
  readonly computed?: ComputedMembers;
  /** Makes routes beyond those of every variant, or in place of one with its method and path. */
  readonly routes?: (resource: ItemResource) => readonly DescribedRoute[];
}

export const TAG: Tag = { name: 'Todos', description: 'What is to be done.' };

export const ITEM_TAG = { ETag: 'Changes if and only if the item changes.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };

/** What the routes of items share: where the items are, and how responses show them. */
export class ItemResource {
  readonly fields: ItemFields;
  readonly api: ItemApi;
  readonly store: Store;
  readonly items: Items;
  /** The JSON texts of rows: of stored fields only. */
  readonly texts: RowTexts;
  readonly schema: NamedSchema;

  /** @param cacheBytes the maximum memory for cached texts of items */
  constructor(
    { fields, api }: { readonly fields: ItemFields; readonly api: ItemApi },
    store: Store,
    cacheBytes: number,
  ) {
    this.fields = fields;
    this.api = api;
    this.store = store;
    this.items = store.items;
    this.texts = new RowTexts(serializerOf(fields), cacheBytes);
    this.schema = new NamedSchema('Todo', () => itemSchema(fields, api.computed));
  }

  /** Makes a route of the collection, or of a path below it, with the problems of the store. */
  route(method: string, segment: string, operation: Omit<Operation, 'tag'>): DescribedRoute {
    const { collection } = this.api;
    const { ofReads, ofWrites } = this.store.problems;
    const ofStore = method === 'GET' ? ofReads : ofWrites;
    const problems = [...(operation.problems ?? []), ...ofStore];
    const path = segment === '' ? collection : below(collection, segment);
    return describedRoute(method, path, { ...operation, problems, tag: TAG });
  }

  /** The strong entity tag of a commit, or of a list as of it (api.md: "Conditional requests"). */
  tagOfCommit(number: number, query = ''): string {
    const { store } = this;
    return `"${store.historyOf(number)}${store.representation}.${number}${query}"`;
  }

  /** The entity tag of an item as it was last written. */
  tagOf({ revision }: FoundItem): string {
    return this.tagOfCommit(revision);
  }

  /** Returns what makes the JSON texts of items for a request, with their computed members. */
  textsFor(
    { headers: { host } }: Pick<Request, 'headers'>,
    textOf: (row: FieldValues) => ByteString = this.texts.textOf,
  ): (row: FieldValues) => ByteString {
    const { computed } = this.api;
    if (computed === undefined) return textOf;
    const origin = host === undefined ? '' : `http://${host}`;
    return (item) => withComputed(textOf(item), computed, item, origin);
  }

  /** The item that the first example of a create request makes, for the document's examples. */
  example(changed: JsonObject = {}): JsonObject {
    const { fields, api } = this;
    const [created = {}] = Object.values(api.examples.create);
    return itemExample(fields, { ...created, ...changed }, api.computed);
  }

  /** Describes a response that is an item. @param changed what its example has */
  response(
    description: string,
    headers: FieldDescriptions,
    changed?: JsonObject,
  ): ResponseDescription {
    const content = { [JSON_MEDIA_TYPE]: this.schema };
    return { description, content, example: this.example(changed), headers };
  }
}

/** Appends a segment to a path, which may be `/`. */
export function below(path: string, segment: string | number | bigint): string {
  return path.endsWith('/') ? `${path}${segment}` : `${path}/${segment}`;
}

import type { DescribedRoute, Request, Tag } from '../../lib/http/index.ts';
import { type ByteString, type JsonObject, NamedSchema } from '../../lib/json/index.ts';
import type { FieldValues } from '../resource/field.ts';
import { itemExample, itemSchema } from '../resource/schema.ts';
import { type ComputedMembers, serializerOf, withComputed } from '../resource/serializer.ts';
import type { ItemFields, ItemId } from '../store/items.ts';
import type { Store } from '../store/store.ts';

/** What of the API of a variant does not follow from the fields of its items. */
export interface ItemApi<Name extends string = string> {
  /** The path of all items, such as `/api/todos`. If it is `/`, the web page is nowhere. */
  readonly collection: string;
  /** The fields that `search` looks in; the one that is likeliest to decide comes first. */
  readonly searched: readonly Name[];
  /** Requests for the API document. */
  readonly examples: {
    /** Valid create requests, by what they show. The first one makes the item of all examples. */
    readonly create: Readonly<Record<string, JsonObject>>;
    readonly update: Readonly<Record<string, JsonObject>>;
    readonly where: JsonObject;
    readonly brokenCreate: JsonObject;
    readonly brokenUpdate: JsonObject;
  };
  readonly computed?: ComputedMembers;
  /** Makes routes beyond those of every variant, or in place of one with its method and path. */
  readonly routes?: (resource: ItemResource) => readonly DescribedRoute[];
}

/** The tag of operations on items in the API document. */
export const TAG: Tag = { name: 'Todos', description: 'What is to be done.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };

/** What the routes of items share: where the items are, and how responses show them. */
export type ItemResource = ReturnType<typeof itemResource>;

/** Makes what the routes of items share, with so much memory for cached texts of items. */
export function itemResource(
  { fields, api }: { readonly fields: ItemFields; readonly api: ItemApi },
  store: Store,
  cacheBytes: number,
) {
  const { items } = store;
  const texts = rowTexts(serializerOf(fields), cacheBytes);

  /** The strong entity tag of a commit, or of a list as of it (api.md: "Conditional requests"). */
  const tagOfCommit = (number: number, query = '') =>
    `"${store.historyOf(number)}${store.representation}.${number}${query}"`;

  return {
    ...{ fields, api, items, store, texts, tagOfCommit },
    schema: new NamedSchema('Todo', () => itemSchema(fields, api.computed)),

    /** The item that the first example of a create request makes, for the document's examples. */
    example(changed: JsonObject = {}): JsonObject {
      const [created = {}] = Object.values(api.examples.create);
      return itemExample(fields, { ...created, ...changed }, api.computed);
    },

    /** What makes the JSON texts of items for a request; of stored fields, by default, a cache. */
    textsFor({ headers: { host } }: Pick<Request, 'headers'>, textOf = texts.of) {
      const { computed } = api;
      if (computed === undefined) return textOf;
      const origin = host === undefined ? '' : `http://${host}`;
      return (item: FieldValues) => withComputed(textOf(item), computed, item, origin);
    },

    /** The entity tag of an item as it was last written; undefined if there is no such item. */
    tagOf(id: ItemId): string | undefined {
      const number = items.table.revisionOf(id);
      return number === undefined ? undefined : tagOfCommit(number);
    },
  };
}

/** The maximum number of rows whose texts are cached. */
const ENTRIES = 4096;

/** The memory of an entry besides its text and its row, in bytes. */
const ENTRY_BYTES = 256;

/**
 * Caches the texts of rows as they are read; a changed row is a new object. The cache is
 * direct-mapped: each `id` has one entry, which the last row takes over.
 * @param maxBytes the maximum memory in all; beyond that, the cache starts again
 */
export function rowTexts(serialize: (row: FieldValues) => ByteString, maxBytes: number) {
  const rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  const texts = new Array<ByteString | undefined>(ENTRIES).fill(undefined);
  let bytes = 0;
  return {
    /** Makes the text of a row that is not kept. */
    serialize,
    /** The memory of the texts that are kept, in bytes. */
    get bytes() {
      return bytes;
    },
    /** The text of a row, which is kept for the next time. */
    of(row: FieldValues): ByteString {
      const entry = Math.abs(Number(row.id)) % ENTRIES;
      const cached = texts[entry];
      if (cached !== undefined && rows[entry] === row) return cached;
      const text = serialize(row);
      bytes += bytesOf(text) - bytesOf(cached);
      if (bytes > maxBytes) {
        rows.fill(undefined);
        texts.fill(undefined);
        bytes = bytesOf(text);
      }
      rows[entry] = row;
      texts[entry] = text;
      return text;
    },
  };
}

/** A text takes about as much as its row, which the table may not have any more. */
function bytesOf(text: ByteString | undefined): number {
  return text === undefined ? 0 : 2 * text.length + ENTRY_BYTES;
}

/** Appends a segment to a path, which may be `/`. */
export function below(path: string, segment: string | number | bigint): string {
  return path.endsWith('/') ? `${path}${segment}` : `${path}/${segment}`;
}

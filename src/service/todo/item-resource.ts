import { JSON_MEDIA_TYPE } from '../../lib/http/index.ts';
import { type ByteString, NamedSchema } from '../../lib/json/index.ts';
import {
  type DescribedRoute,
  describedRoute,
  type FieldDescriptions,
  type Operation,
  type ResponseDescription,
  type Tag,
} from '../operation.ts';
import type { FieldValues } from '../resource/field.ts';
import { exampleOf, itemSchema } from '../resource/item-content.ts';
import { serializerOf } from '../resource/serializer.ts';
import type { ItemFields } from '../store/items.ts';
import { rulesOf } from './all-variants.ts';
import type { SeedRules } from './seed.ts';
import type { ItemApi, Variant } from './variant.ts';

export const TODOS: Tag = { name: 'Todos', description: 'What is to be done.' };

export const ITEM_ETAG = { ETag: 'Changes if and only if the item changes.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };

/** The fields and the API of items, which all lists share. */
export class ItemResource {
  readonly fields: ItemFields;
  readonly rules: SeedRules;
  readonly api: ItemApi;
  readonly schema: NamedSchema;
  /** Returns the JSON of a row. */
  readonly serialize: (row: FieldValues) => ByteString;

  /** @param isStrict whether unknown names are refused (`STRICT`) */
  constructor({ fields, api }: Pick<Variant, 'fields' | 'api'>, isStrict = true) {
    this.fields = fields;
    this.rules = rulesOf({ fields }, isStrict);
    this.api = api;
    this.serialize = serializerOf(fields);
    this.schema = new NamedSchema('Todo', () => {
      const [first = {}] = Object.values(api.examples.create);
      return { ...itemSchema(fields), examples: [exampleOf(fields, first)] };
    });
  }

  /** Describes a route of the collection, or of a path below it. */
  route(method: string, segment: string, operation: Omit<Operation, 'tag'>): DescribedRoute {
    const { collection } = this.api;
    const path = segment === '' ? collection : `${collection}/${segment}`;
    return describedRoute(method, path, { ...operation, tag: TODOS });
  }

  /** Describes a response that is an item. */
  response(description: string, headers: FieldDescriptions): ResponseDescription {
    return { description, content: { [JSON_MEDIA_TYPE]: this.schema }, headers };
  }
}

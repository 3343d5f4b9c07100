import { JSON_MEDIA_TYPE } from '../../lib/http/index.ts';
import { type ByteString, NamedSchema } from '../../lib/json/index.ts';
import {
  type DescribedRoute,
  describedRoute,
  type FieldDescriptions,
  type Operation,
  type ResponseDescription,
} from '../operation.ts';
import {
  type Definition,
  type ItemApi,
  type ItemFields,
  type ItemRules,
  rulesOf,
} from '../resource/definition.ts';
import type { FieldValues } from '../resource/field.ts';
import { examplesOf, itemSchema } from '../resource/item-content.ts';
import { serializerOf } from '../resource/serializer.ts';

export const ITEM_ETAG = { ETag: 'Changes if and only if the item changes.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };

/** The fields and the API of items, which all lists share. */
export class ItemResource {
  readonly fields: ItemFields;
  /** The columns of the table. */
  readonly columns: ItemFields;
  readonly rules: ItemRules;
  readonly api: ItemApi;
  readonly schema: NamedSchema;
  /** Returns the JSON of a row. */
  readonly serialize: (row: FieldValues) => ByteString;

  /** @param isStrict whether unknown names are refused (`STRICT`) */
  constructor(definition: Omit<Definition, 'name' | 'title'>, isStrict = true) {
    const { fields, columns = fields, api } = definition;
    this.fields = fields;
    this.columns = columns;
    this.rules = rulesOf(definition, isStrict);
    this.api = api;
    this.serialize = serializerOf(fields);
    this.schema = new NamedSchema(api.item, () => {
      const [first = {}] = Object.values(api.examples.create);
      const examples = examplesOf(fields, first);
      return { ...itemSchema(fields), ...(examples.length > 0 && { examples }) };
    });
  }

  /** Describes a route of the collection, or of a path below it. */
  route(method: string, segment: string, operation: Omit<Operation, 'tag'>): DescribedRoute {
    const { collection, items, description } = this.api;
    const path = segment === '' ? collection : `${collection}/${segment}`;
    return describedRoute(method, path, { ...operation, tag: { name: items, description } });
  }

  /** Describes a response that is an item. */
  response(description: string, headers: FieldDescriptions): ResponseDescription {
    return { description, content: { [JSON_MEDIA_TYPE]: this.schema }, headers };
  }
}

import { Problem } from '../../http/core/problem.ts';
import type { Argument, RequestContent } from '../../http/routing/operation.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { NamedSchema } from '../../json/schema.ts';
import { fieldsContent } from '../../resource/content.ts';
import type { FieldValues, RequestKind } from '../../resource/field.ts';
import { itemExample, itemSchema, typeSchema } from '../../resource/schema.ts';
import { VALUE_KINDS } from '../../resource/value-kind.ts';
import type { ItemFields } from '../item-api.ts';
import { INVALID_ID } from '../problems.ts';
import type { ItemId } from '../store/items.ts';
import type { ItemResource } from './item-resource.ts';

/** The id in a path. */
export function idArgument({ id }: ItemFields): Argument<ItemId> {
  const { fromText, textForm } = VALUE_KINDS[id.kind];
  return {
    parameters: [
      {
        name: 'id',
        in: 'path',
        description: id.description,
        schema: typeSchema(id.kind),
        example: 1,
      },
    ],
    problems: [INVALID_ID],
    of: ({ params: [text = ''] }) => {
      const value = fromText(text);
      if (typeof value === 'number' || typeof value === 'bigint') return value;
      throw new Problem(INVALID_ID, `The id must be ${textForm}`);
    },
  };
}

/** What the content of requests and responses follows from. */
type Described = Pick<ItemResource, 'fields' | 'api'>;

/**
 * An item in the document's examples: the one that the first example of a create request makes.
 * @param changed stored fields that differ from it
 */
export function exampleItem({ fields, api }: Described, changed: JsonObject = {}): JsonObject {
  const [created = {}] = Object.values(api.examples.create);
  return itemExample(fields, { ...created, ...changed }, api.computed);
}

/** An item in a response. */
export function storedSchema({ fields, api }: Described): NamedSchema {
  return new NamedSchema('Todo', () => itemSchema(fields, api.computed));
}

/** The content of requests that create or change an item. */
export function itemContent(
  { fields, api: { examples } }: Described,
  request: RequestKind,
): RequestContent<FieldValues> {
  if (request === 'create') {
    const broken = examples.brokenCreate;
    return fieldsContent(fields, request, {
      name: 'CreateTodo',
      examples: examples.create,
      broken,
    });
  }
  const shown = { examples: examples.update, broken: examples.brokenUpdate };
  return request === 'update'
    ? fieldsContent(fields, request, { name: 'UpdateTodo', ...shown })
    : fieldsContent(fields, request, { name: 'PatchTodo', ...shown, mediaTypes: PATCH_TYPES });
}

/** `application/json` is read as a patch, too. */
const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

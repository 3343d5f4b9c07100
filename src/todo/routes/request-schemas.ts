import { Problem } from '../../http/core/problem.ts';
import type { Argument, RequestContent } from '../../http/routing/operation.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { NamedSchema } from '../../json/schema.ts';
import { fieldsContent } from '../../resource/content.ts';
import type { FieldValues } from '../../resource/field.ts';
import {
  createSchema,
  itemExample,
  itemSchema,
  patchSchema,
  typeSchema,
  updateSchema,
} from '../../resource/schema.ts';
import { createValidator, patchValidator, updateValidator } from '../../resource/validator.ts';
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

type Content = RequestContent<FieldValues>;

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

/** The content of a create request. */
export function createContent({ fields, api: { examples } }: Described): Content {
  return fieldsContent(createValidator(fields), {
    schema: new NamedSchema('CreateTodo', () => createSchema(fields)),
    examples: examples.create,
    broken: examples.brokenCreate,
  });
}

/** The content of an update request. */
export function updateContent({ fields, api: { examples } }: Described): Content {
  return fieldsContent(updateValidator(fields), {
    schema: new NamedSchema('UpdateTodo', () => updateSchema(fields)),
    examples: examples.update,
    broken: examples.brokenUpdate,
  });
}

/** The content of a patch. `application/json` is read as a patch too. */
export function patchContent({ fields, api: { examples } }: Described): Content {
  return fieldsContent(patchValidator(fields), {
    schema: new NamedSchema('PatchTodo', () => patchSchema(fields)),
    examples: examples.update,
    broken: examples.brokenUpdate,
    mediaTypes: ['application/merge-patch+json', 'application/json'],
  });
}

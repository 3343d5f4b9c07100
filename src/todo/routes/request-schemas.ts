import { Problem } from '../../http/core/problem.ts';
import type { Argument, RequestContent } from '../../http/routing/operation.ts';
import { type JsonSchema, NamedSchema } from '../../json/schema.ts';
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
import type { Id } from '../../table/schema/column.ts';
import type { TodoFields } from '../fields.ts';

/** The id in a path. */
export function idArgument({ id }: TodoFields): Argument<Id<TodoFields>> {
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
    problems: ['invalid-id'],
    of: ({ params: [text = ''] }) => {
      const value = fromText(text);
      if (typeof value === 'number' || typeof value === 'bigint') return value;
      throw new Problem('invalid-id', `The id must be ${textForm}`);
    },
  };
}

/** The item in the examples. */
const EXAMPLE = { title: 'Buy milk', description: 'Two litres', priority: 5 };

/** The example of an item in a response: the item that the example request creates. */
export function todoExample(fields: TodoFields, values: FieldValues = {}): JsonSchema {
  return itemExample(fields, { ...EXAMPLE, completed: false, ...values });
}

/** An item in a response. */
export function todoSchema(fields: TodoFields): NamedSchema {
  return new NamedSchema('Todo', () => itemSchema(fields));
}

/** The content of a create request. */
export function createContent(fields: TodoFields): RequestContent<FieldValues> {
  return fieldsContent(createValidator(fields), {
    schema: new NamedSchema('CreateTodo', () => createSchema(fields)),
    examples: { 'all members': EXAMPLE, 'a title': { title: EXAMPLE.title } },
    broken: { title: ' ', priority: 9 },
  });
}

/** The content of an update request. */
export function updateContent(fields: TodoFields): RequestContent<FieldValues> {
  return fieldsContent(updateValidator(fields), {
    schema: new NamedSchema('UpdateTodo', () => updateSchema(fields)),
    examples: {
      done: { completed: true },
      'another text': { title: 'Buy oat milk', description: 'One litre' },
    },
    broken: { priority: 9 },
  });
}

/** The content of a patch. `application/json` is read as a patch too. */
export function patchContent(fields: TodoFields): RequestContent<FieldValues> {
  return fieldsContent(patchValidator(fields), {
    schema: new NamedSchema('PatchTodo', () => patchSchema(fields)),
    examples: { done: { completed: true } },
    broken: { priority: 9 },
    mediaTypes: ['application/merge-patch+json', 'application/json'],
  });
}

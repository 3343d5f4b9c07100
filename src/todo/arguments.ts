import { Problem } from '../http/core/problem.ts';
import type { Argument, RequestContent } from '../http/routing/operation.ts';
import { NamedSchema } from '../json/schema.ts';
import { fieldsContent } from '../resource/content.ts';
import type { FieldValues } from '../resource/field.ts';
import {
  createSchema,
  itemSchema,
  patchSchema,
  typeSchema,
  updateSchema,
} from '../resource/schema.ts';
import { createValidator, patchValidator, updateValidator } from '../resource/validator.ts';
import { VALUE_KINDS } from '../resource/value-kind.ts';
import type { Id } from '../table/schema/column.ts';
import type { TodoFields } from './fields.ts';

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

/** An item in a response. */
export function todoSchema(fields: TodoFields): NamedSchema {
  return new NamedSchema('Todo', itemSchema(fields));
}

/** What a create request carries. */
export function createContent(fields: TodoFields): RequestContent<FieldValues> {
  const schema = new NamedSchema('CreateTodo', createSchema(fields));
  return fieldsContent(schema, createValidator(fields), {
    'a title': { title: 'Buy milk' },
    'all that can be given': { title: 'Buy milk', description: 'Two litres', priority: 5 },
  });
}

/** What an update request carries. */
export function updateContent(fields: TodoFields): RequestContent<FieldValues> {
  const schema = new NamedSchema('UpdateTodo', updateSchema(fields));
  return fieldsContent(schema, updateValidator(fields), {
    done: { completed: true },
    'another text': { title: 'Buy oat milk', description: 'One litre' },
  });
}

/** What a patch carries. `application/json` is read as a patch, too. */
export function patchContent(fields: TodoFields): RequestContent<FieldValues> {
  const schema = new NamedSchema('PatchTodo', patchSchema(fields));
  const examples = { done: { completed: true } };
  const mediaTypes = ['application/merge-patch+json', 'application/json'];
  return fieldsContent(schema, patchValidator(fields), examples, mediaTypes);
}

/** A condition of what changes an item: it is checked by the middleware for conditions. */
export const ifMatchArgument: Argument<string | undefined> = {
  parameters: [
    {
      name: 'If-Match',
      in: 'header',
      description: 'Only if the item has one of these entity tags; `*` for any.',
      schema: { type: 'string' },
      example: '"xyzzy"',
    },
  ],
  problems: ['invalid-precondition'],
  of: ({ headers }) => headers['if-match'],
};

/** A condition of what reads an item: it is checked by the middleware for conditions. */
export const ifNoneMatchArgument: Argument<string | undefined> = {
  parameters: [
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'Only if it has none of these entity tags; otherwise the answer is 304.',
      schema: { type: 'string' },
      example: '"xyzzy"',
    },
  ],
  problems: [],
  of: ({ headers }) => headers['if-none-match'],
};

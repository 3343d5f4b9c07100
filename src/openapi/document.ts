import { PROBLEM_MEDIA_TYPE, PROBLEMS } from '../http/problem.ts';
import {
  createSchema,
  itemSchema,
  type JsonSchema,
  typeSchema,
  updateSchema,
} from '../resource/schema.ts';
import type { Variant } from '../todo/fields.ts';

/** The description of the API (OpenAPI 3.1), from the same definitions that the service runs on. */
export function openApiDocument({ name, fields }: Variant, version: string): JsonSchema {
  const invalid = problem('The request breaks a rule; `errors` names every one of the body');
  const missing = problem('No item has the id');
  const full = problem('There is no room for another item');
  const other = problem('Any other error; `code` says which');
  const idParameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: fields.id.description,
    schema: typeSchema(fields.id.kind),
  };
  return {
    openapi: '3.1.0',
    info: { title: `Todo service, variant ${name.toUpperCase()}`, version },
    paths: {
      '/api/todos': {
        get: {
          operationId: 'listTodos',
          summary: 'Lists all items, or those a keyword is found in',
          parameters: LIST_PARAMETERS,
          responses: {
            200: json('The items', { type: 'array', items: ref('Todo') }),
            400: invalid,
            default: other,
          },
        },
        post: {
          operationId: 'createTodo',
          summary: 'Creates an item',
          requestBody: body('CreateTodo'),
          responses: {
            201: json('The item, with its id', ref('Todo')),
            400: invalid,
            507: full,
            default: other,
          },
        },
      },
      '/api/todos/{id}': {
        parameters: [idParameter],
        get: {
          operationId: 'getTodo',
          summary: 'Gets an item',
          responses: {
            200: json('The item', ref('Todo')),
            400: invalid,
            404: missing,
            default: other,
          },
        },
        put: {
          operationId: 'updateTodo',
          summary: 'Updates the fields that are sent and not null',
          requestBody: body('UpdateTodo'),
          responses: {
            200: json('The item as it is now', ref('Todo')),
            400: invalid,
            404: missing,
            default: other,
          },
        },
        delete: {
          operationId: 'deleteTodo',
          summary: 'Deletes an item, whether it is there or not',
          responses: {
            204: { description: 'No item has the id now' },
            400: invalid,
            default: other,
          },
        },
      },
      '/livez': { get: health('getLiveness', 'Whether the process is alive') },
      '/readyz': {
        get: health('getReadiness', 'Whether new work is wanted', {
          503: problem('The service is shutting down'),
        }),
      },
      '/openapi.json': {
        get: {
          operationId: 'getApiDocument',
          summary: 'This document',
          responses: { 200: json('It', { type: 'object' }) },
        },
      },
    },
    components: {
      schemas: {
        Todo: itemSchema(fields),
        CreateTodo: createSchema(fields),
        UpdateTodo: updateSchema(fields),
        Problem: PROBLEM_SCHEMA,
      },
    },
  };
}

const LIST_PARAMETERS = [
  queryParameter(
    'search',
    'A text to find in title or description, ignoring case; blank finds everything',
    { type: 'string' },
  ),
  queryParameter(
    'sort',
    'Columns to order by, separated by commas, "-" before one for descending order; by id if absent',
    {
      type: 'string',
      examples: ['-priority,title'],
    },
  ),
  queryParameter('limit', 'How many items to return at most', { type: 'integer', minimum: 0 }),
  queryParameter('offset', 'How many items to leave out first', { type: 'integer', minimum: 0 }),
];

const PROBLEM_SCHEMA: JsonSchema = {
  description: 'Problem details (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    code: { enum: Object.keys(PROBLEMS) },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
};

function ref(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

function json(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}

function body(schema: string): JsonSchema {
  return { required: true, content: { 'application/json': { schema: ref(schema) } } };
}

function queryParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', description, schema };
}

function health(operationId: string, summary: string, failures: JsonSchema = {}): JsonSchema {
  const schema = { type: 'object', properties: { status: { const: 'ok' } } };
  return { operationId, summary, responses: { 200: json('Yes', schema), ...failures } };
}

function problem(description: string): JsonSchema {
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema: ref('Problem') } } };
}

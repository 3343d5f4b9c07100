import { JSON_MEDIA_TYPE } from '../../lib/http/index.ts';
import { type JsonSchema, mapValues } from '../../lib/json/index.ts';
import type {
  DescribedRoute,
  FieldDescriptions,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../operation.ts';

export const TOKEN_SCHEME = 'adminToken';

/** A reference to a component of the document. */
export function reference(kind: string, name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}

/**
 * The Operation Object of a route (OpenAPI 3.1, section 4.8.10). Every error is the response
 * `default`.
 * @param parameterObject returns a Parameter Object, or a reference to one
 */
export function operationObject(
  { operation }: DescribedRoute,
  parameterObject: (parameter: ParameterDescription) => JsonSchema,
): JsonSchema {
  const { id, summary, description, tag, arguments: parts = [], content } = operation;
  const parameters = parts.flatMap((part) => part.parameters).map(parameterObject);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag.name],
    security: operation.needsToken ? [{ [TOKEN_SCHEME]: [] }] : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: content && requestBody(content),
    responses: {
      ...mapValues(operation.responses, responseObject),
      default: reference('responses', 'Problem'),
    },
  };
}

function requestBody(described: RequestContent<unknown>): JsonSchema {
  const { schema, examples, isOptional = false } = described;
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.replaceAll(' ', '-'),
    { summary, value },
  ]);
  const mediaType = { schema, examples: Object.fromEntries(named) };
  // Several types of one schema break generators of clients; JSON is always one of them.
  return { required: !isOptional, content: { [JSON_MEDIA_TYPE]: mediaType } };
}

function responseObject({ description, content, headers = {} }: ResponseDescription): JsonSchema {
  return {
    description,
    headers: { ...fieldObjects(headers), 'X-Request-Id': reference('headers', 'X-Request-Id') },
    content: content && mapValues(content, (schema) => ({ schema })),
  };
}

/** Response fields that, where they are described, no response omits. */
const REQUIRED_FIELDS = ['ETag', 'Cache-Control', 'X-Accel-Buffering', 'X-Content-Type-Options'];

/** Fields whose value is an integer. */
const INTEGER_FIELDS = ['X-Total-Count', 'Retry-After'];

/** Describes header fields. @param required fields that every response has */
export function fieldObjects(descriptions: FieldDescriptions, required = REQUIRED_FIELDS) {
  return mapValues(descriptions, (description, name) => ({
    description,
    required: required.includes(name) || undefined,
    schema: { type: INTEGER_FIELDS.includes(name) ? 'integer' : 'string' },
  }));
}

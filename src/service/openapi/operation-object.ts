import { JSON_MEDIA_TYPE } from '../../lib/http/index.ts';
import { type JsonSchema, mapValues } from '../../lib/json/index.ts';
import type {
  DescribedRoute,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../operation.ts';
import { errorResponses } from './error-responses.ts';
import { fieldObjects, reference } from './parts.ts';

export const TOKEN_SCHEME = 'adminToken';

/**
 * The Operation Object of a route (OpenAPI 3.1, section 4.8.10).
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
      ...errorResponses(operation),
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

import type { ProblemType } from '../http/core/problem.ts';
import type {
  DescribedRoute,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../http/routing/operation.ts';
import type { JsonSchema, NamedSchema } from '../json/schema.ts';
import { fieldObjects } from './field-objects.ts';
import { mapValues } from './map-values.ts';
import { problemResponses } from './problem-responses.ts';

/** The name of the security scheme for the admin token. */
export const TOKEN_SCHEME = 'adminToken';

/**
 * Describes one route (OpenAPI 3.1, section 4.8.10).
 * @param problems all problems that requests for it can get
 */
export function operationObject(
  route: DescribedRoute,
  problems: readonly ProblemType[],
  problemSchema: NamedSchema,
): JsonSchema {
  const { operation, path } = route;
  const { id, summary, description, tag, arguments: parts = [], content, responses } = operation;
  const parameters = parts.flatMap((part) => part.parameters);
  const { problemExamples = [] } = operation;
  const examples = [...(content?.problemExamples ?? []), ...problemExamples];
  const target = targetOf(path, parameters);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag.name],
    security: operation.needsToken ? [{ [TOKEN_SCHEME]: [] }] : undefined,
    parameters: parameters.length > 0 ? parameters.map(parameterObject) : undefined,
    requestBody: content && requestBody(content),
    responses: mapValues(
      {
        ...mapValues(responses, responseObject),
        ...problemResponses(problems, problemSchema, examples, target),
      },
      withRequestId,
    ),
  };
}

/** The path of an example request: with the examples of its parameters. */
function targetOf(path: string, parameters: readonly ParameterDescription[]): string {
  return parameters.reduce(
    (target, { name, example }) => target.replace(`{${name}}`, String(example)),
    path,
  );
}

function parameterObject(parameter: ParameterDescription): JsonSchema {
  return { ...parameter, required: parameter.in === 'path' ? true : undefined };
}

function requestBody({ mediaTypes, schema, examples }: RequestContent<unknown>): JsonSchema {
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.replaceAll(' ', '-'),
    { summary, value },
  ]);
  const mediaType = { schema, examples: Object.fromEntries(named) };
  const content = Object.fromEntries(mediaTypes.map((name) => [name, mediaType]));
  return { required: true, content };
}

function responseObject(response: ResponseDescription): JsonSchema {
  const { description, mediaType, schema, example, alternatives = {}, headers = {} } = response;
  const others = mapValues(alternatives, (each) => ({ schema: each }));
  return {
    description,
    headers: fieldObjects(headers),
    content: mediaType === undefined ? undefined : { [mediaType]: { schema, example }, ...others },
  };
}

/** Adds the request id, which any response has if its request has one. */
function withRequestId({ headers, ...response }: JsonSchema): JsonSchema {
  const reference = { $ref: '#/components/headers/X-Request-Id' };
  return { ...response, headers: { ...Object(headers), 'X-Request-Id': reference } };
}

import type { ProblemType } from '../http/core/problem.ts';
import { JSON_MEDIA_TYPE } from '../http/core/response.ts';
import type {
  DescribedRoute,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../http/routing/operation.ts';
import type { JsonSchema, NamedSchema } from '../json/schema.ts';
import { fieldObjects, mapValues } from './objects.ts';
import { problemResponses } from './problems.ts';

/** The name of the security scheme for the admin token. */
export const TOKEN_SCHEME = 'adminToken';

/** The versions of OpenAPI in which the document can be had. */
export type OpenApiVersion = '3.1.0' | '3.2.0';

/** What an operation has in common with others. */
export interface Surroundings {
  readonly version: OpenApiVersion;
  readonly problemSchema: NamedSchema;
  /** Describes the header fields that every response for its path may have. */
  readonly commonFields: JsonSchema;
}

/** Describes one route, whose requests can get these problems (OpenAPI 3.1, section 4.8.10). */
export function operationObject(
  { operation, path }: DescribedRoute,
  problems: readonly ProblemType[],
  { version, problemSchema, commonFields }: Surroundings,
): JsonSchema {
  const { id, summary, description, tag, arguments: parts = [], content } = operation;
  const parameters = parts.flatMap((part) => part.parameters);
  const described = parameters.map((each) => ({
    ...each,
    required: each.in === 'path' || undefined,
  }));
  const examples = [...(content?.problemExamples ?? []), ...(operation.problemExamples ?? [])];
  const responses = {
    ...mapValues(operation.responses, (response) => responseObject(response, version)),
    ...problemResponses(problems, problemSchema, examples, targetOf(path, parameters)),
  };
  return {
    operationId: id,
    summary,
    description,
    tags: [tag.name],
    security: operation.needsToken ? [{ [TOKEN_SCHEME]: [] }] : undefined,
    parameters: described.length > 0 ? described : undefined,
    requestBody: content && requestBody(content),
    responses: mapValues(responses, ({ headers, ...response }) => ({
      ...response,
      headers: { ...Object(headers), ...commonFields },
    })),
  };
}

/** The path of an example request: with the examples of its parameters. */
function targetOf(path: string, parameters: readonly ParameterDescription[]): string {
  return parameters.reduce(
    (target, { name, example }) => target.replace(`{${name}}`, String(example)),
    path,
  );
}

function requestBody(described: RequestContent<unknown>): JsonSchema {
  const { mediaTypes, schema, alternatives, examples, isOptional = false } = described;
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.replaceAll(' ', '-'),
    { summary, value },
  ]);
  const mediaType = { schema, examples: Object.fromEntries(named) };
  // Several types of one schema break generators of clients; JSON is always one of them.
  const main = mediaTypes.includes(JSON_MEDIA_TYPE) ? [JSON_MEDIA_TYPE] : mediaTypes;
  const content = Object.fromEntries(main.map((name) => [name, mediaType]));
  return { required: !isOptional, content: { ...content, ...mediaTypeObjects(alternatives) } };
}

function responseObject(response: ResponseDescription, version: OpenApiVersion): JsonSchema {
  const { description, mediaType, schema, itemSchema, example } = response;
  // OpenAPI 3.1 cannot describe the items of a stream.
  const described = itemSchema && version !== '3.1.0' ? { itemSchema } : { schema, example };
  const others = mediaTypeObjects(response.alternatives);
  return {
    description,
    headers: fieldObjects(response.headers ?? {}),
    content: mediaType === undefined ? undefined : { [mediaType]: described, ...others },
  };
}

function mediaTypeObjects(schemas: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return mapValues(schemas, (schema) => ({ schema }));
}

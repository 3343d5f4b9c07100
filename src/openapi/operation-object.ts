import type { ProblemType } from '../http/core/problem.ts';
import { JSON_MEDIA_TYPE } from '../http/core/response.ts';
import type {
  DescribedRoute,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../http/routing/operation.ts';
import type { JsonSchema, NamedSchema } from '../json/schema.ts';
import { fieldObjects } from './field-objects.ts';
import { mapValues } from './map-values.ts';
import { problemResponses } from './problems.ts';

/** The name of the security scheme for the admin token. */
export const TOKEN_SCHEME = 'adminToken';

/** The versions of OpenAPI in which the document can be had. */
export type OpenApiVersion = '3.1.0' | '3.2.0';

/** What an operation has in common with others. */
export interface Surroundings {
  readonly version: OpenApiVersion;
  readonly problemSchema: NamedSchema;
  /** The names of header fields that every response for its path may have. */
  readonly commonFields: readonly string[];
}

/**
 * Describes one route (OpenAPI 3.1, section 4.8.10).
 * @param problems all problems that requests for it can get
 */
export function operationObject(
  route: DescribedRoute,
  problems: readonly ProblemType[],
  { version, problemSchema, commonFields }: Surroundings,
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
        ...mapValues(responses, (response) => responseObject(response, version)),
        ...problemResponses(problems, problemSchema, examples, target),
      },
      (response) => withFields(response, commonFields),
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

function requestBody({
  mediaTypes,
  schema,
  alternatives = {},
  examples,
  isOptional = false,
}: RequestContent<unknown>): JsonSchema {
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.replaceAll(' ', '-'),
    { summary, value },
  ]);
  const mediaType = { schema, examples: Object.fromEntries(named) };
  const others = mapValues(alternatives, (each) => ({ schema: each }));
  // Several types of one schema break generators of clients; JSON is always one of them.
  const main = mediaTypes.includes(JSON_MEDIA_TYPE) ? [JSON_MEDIA_TYPE] : mediaTypes;
  const content = Object.fromEntries(main.map((name) => [name, mediaType]));
  return { required: !isOptional, content: { ...content, ...others } };
}

function responseObject(response: ResponseDescription, version: OpenApiVersion): JsonSchema {
  const { description, mediaType, schema, itemSchema, example } = response;
  const { alternatives = {}, headers = {} } = response;
  const others = mapValues(alternatives, (each) => ({ schema: each }));
  // OpenAPI 3.1 cannot describe the items of a stream.
  const described = itemSchema && version !== '3.1.0' ? { itemSchema } : { schema, example };
  return {
    description,
    headers: fieldObjects(headers),
    content: mediaType === undefined ? undefined : { [mediaType]: described, ...others },
  };
}

/** Adds header fields that any response may have. */
function withFields({ headers, ...response }: JsonSchema, names: readonly string[]): JsonSchema {
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { ...response, headers: { ...Object(headers), ...Object.fromEntries(references) } };
}

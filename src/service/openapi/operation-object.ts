import {
  acceptFieldOf,
  JSON_MEDIA_TYPE,
  PROBLEM_MEDIA_TYPE,
  type ProblemCode,
  type ProblemType,
  problemTypeOf,
} from '../../lib/http/index.ts';
import { type JsonSchema, mapValues, type NamedSchema } from '../../lib/json/index.ts';
import {
  type DescribedRoute,
  type FieldDescriptions,
  NO_STORE_FIELD,
  type RequestContent,
  type ResponseDescription,
} from '../operation.ts';

export const TOKEN_SCHEME = 'adminToken';

/** The Operation Object of a route (OpenAPI 3.1, section 4.8.10). */
export function operationObject(
  { operation }: DescribedRoute,
  problems: readonly ProblemType[],
  problemSchema: NamedSchema,
  commonFields: JsonSchema,
): JsonSchema {
  const { id, summary, description, tag, arguments: parts = [], content } = operation;
  const parameters = parts.flatMap((part) => part.parameters);
  const described = parameters.map((each) => ({
    ...each,
    required: each.in === 'path' || undefined,
  }));
  const responses = {
    ...mapValues(operation.responses, responseObject),
    ...problemResponses(problems, problemSchema),
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

function responseObject(response: ResponseDescription): JsonSchema {
  const { description, content, headers = {} } = response;
  const objects = mapValues(content ?? {}, (schema) => ({ schema }));
  return { description, headers: fieldObjects(headers), content: content && objects };
}

/** The problems that occur before a route is found, and the problems of every route. */
const PROBLEMS_OF_ALL: readonly ProblemCode[] = [
  'malformed-request',
  'malformed-query',
  'request-timeout',
  'content-too-large',
  'uri-too-long',
  'expectation-failed',
  'misdirected-request',
  'header-fields-too-large',
  'internal-error',
  'not-implemented',
  'overloaded',
  'http-version-not-supported',
];

/** The types of all problems that a route, or middleware in its place, can respond with. */
export function problemTypesOf(route: DescribedRoute, others: readonly ProblemType[]) {
  const { method, operation, produces } = route;
  const { arguments: parts = [], content, problems = [] } = operation;
  const isRead = method === 'GET';
  // `If-Match` is read even where nothing has an entity tag.
  const hasConditions = isRead || ['PUT', 'PATCH', 'DELETE'].includes(method);
  const all: readonly (ProblemCode | ProblemType)[] = [
    ...PROBLEMS_OF_ALL,
    ...(hasConditions ? (['invalid-precondition'] as const) : []),
    ...parts.flatMap((part) => part.problems),
    ...(produces.length > 0 ? (['not-acceptable'] as const) : []),
    ...(content ? [unsupportedOf(method), ...content.problems] : []),
    ...problems,
    ...others,
  ];
  const types = all.map(problemTypeOf);
  // Errors of reads and of operations with a token must not be stored.
  if (!operation.needsToken && !isRead) return types;
  return types.map((type) => ({ ...type, fields: { ...NO_STORE_FIELD, ...type.fields } }));
}

function problemResponses(
  types: readonly ProblemType[],
  schema: NamedSchema,
): Readonly<Record<string, JsonSchema>> {
  const byStatus: Record<string, Record<string, ProblemType>> = {};
  for (const type of types) {
    const { code, status = 'default' } = type;
    byStatus[status] = { ...byStatus[status], [code]: type };
  }
  return mapValues(byStatus, (byCode) => {
    const own = Object.values(byCode);
    return {
      description: own.map(({ title, code }) => `${title} (\`${code}\`).`).join(' '),
      headers: Object.assign({}, ...own.map(({ fields = {} }) => fieldObjects(fields, []))),
      content: { [PROBLEM_MEDIA_TYPE]: { schema } },
    };
  });
}

/** The problem of an unsupported media type, with the field that lists the supported ones. */
function unsupportedOf(method: string): ProblemType {
  const type = problemTypeOf('unsupported-media-type');
  const fields = { ...type.fields, [acceptFieldOf(method)]: 'The supported media types.' };
  return { ...type, fields };
}

/** Fields that are in every response whose description has them. */
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

import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode } from '../http/core/problem.ts';
import type {
  DescribedRoute,
  Operation,
  ParameterDescription,
  RequestContent,
  ResponseDescription,
} from '../http/routing/operation.ts';
import { type JsonSchema, NamedSchema } from '../json/schema.ts';
import { PROBLEM_SCHEMA } from './problem-schema.ts';

/** What the document says of the API as a whole. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
}

/** What any request can get, whatever it asks for. */
const PROBLEMS_OF_ALL: readonly ProblemCode[] = [
  'malformed-request',
  'malformed-query',
  'request-timeout',
  'content-too-large',
  'uri-too-long',
  'expectation-failed',
  'header-fields-too-large',
  'internal-error',
  'not-implemented',
  'overloaded',
  'http-version-not-supported',
];

/** The description of the API (OpenAPI 3.1), made from its routes. */
export function openApiDocument(info: ApiInfo, routes: readonly DescribedRoute[]): JsonSchema {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { method, path, operation } of routes) {
    const operations = paths[path] ?? {};
    operations[method.toLowerCase()] = operationObject(operation);
    paths[path] = operations;
  }
  const document = { openapi: '3.1.0', info, paths: withReferences(paths, schemas) };
  return { ...document, components: { schemas: Object.fromEntries(schemas) } };
}

/** The codes of all problems that an operation can answer with. */
export function problemsOf(operation: Operation): readonly ProblemCode[] {
  const { arguments: parts = [], content, responses, problems = [] } = operation;
  const hasContent = Object.values(responses).some(({ mediaType }) => mediaType !== undefined);
  const all = new Set<ProblemCode>([
    ...PROBLEMS_OF_ALL,
    ...parts.flatMap((part) => part.problems),
    ...(hasContent ? (['not-acceptable'] as const) : []),
    ...(content ? (['unsupported-media-type', ...content.problems] as const) : []),
    ...problems,
  ]);
  return CODES.filter((code) => all.has(code));
}

const CODES = Object.keys(PROBLEMS).filter((code): code is ProblemCode => code in PROBLEMS);

function operationObject(operation: Operation): JsonSchema {
  const { id, summary, description, tag, arguments: parts = [], content, responses } = operation;
  const parameters = parts.flatMap((part) => part.parameters).map(parameterObject);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: content && requestBody(content),
    responses: { ...mapValues(responses, responseObject), ...problemResponses(operation) },
  };
}

function parameterObject(parameter: ParameterDescription): JsonSchema {
  return { ...parameter, required: parameter.in === 'path' ? true : undefined };
}

function requestBody({ mediaTypes, schema, examples }: RequestContent<unknown>): JsonSchema {
  const mediaType = { schema, examples: mapValues(examples, (value) => ({ value })) };
  const content = Object.fromEntries(mediaTypes.map((name) => [name, mediaType]));
  return { required: true, content };
}

function responseObject(response: ResponseDescription): JsonSchema {
  const { description, mediaType, schema, example, headers = {} } = response;
  return {
    description,
    headers: mapValues(headers, (text) => ({ description: text, schema: { type: 'string' } })),
    content: mediaType === undefined ? undefined : { [mediaType]: { schema, example } },
  };
}

/** The problems of an operation by their status; each says which of them there are. */
function problemResponses(operation: Operation): Record<string, JsonSchema> {
  const byStatus: Record<string, ProblemCode[]> = {};
  for (const code of problemsOf(operation)) {
    const { status } = PROBLEMS[code];
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return mapValues(byStatus, (codes) => ({
    description: codes.map((code) => `${PROBLEMS[code].title} (\`${code}\`).`).join(' '),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: PROBLEM_SCHEMA } },
  }));
}

/** A part of the document with references in place of named schemas, which are collected. */
function withReferences(part: unknown, schemas: Map<string, JsonSchema>): unknown {
  if (part instanceof NamedSchema) {
    const { name, schema } = part;
    if (!schemas.has(name)) {
      schemas.set(name, schema);
      schemas.set(
        name,
        mapValues(schema, (each) => withReferences(each, schemas)),
      );
    }
    return { $ref: `#/components/schemas/${name}` };
  }
  if (Array.isArray(part)) return part.map((each) => withReferences(each, schemas));
  if (typeof part !== 'object' || part === null) return part;
  return mapValues({ ...part }, (each: unknown) => withReferences(each, schemas));
}

function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

import {
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemCode,
  type ProblemType,
  problemTypeOf,
} from '../http/core/problem.ts';
import { acceptFieldOf } from '../http/request/header-section.ts';
import type { DescribedRoute } from '../http/routing/operation.ts';
import { NO_STORE_FIELD } from '../http/routing/response-fields.ts';
import type { JsonSchema, NamedSchema } from '../json/schema.ts';
import { fieldObjects } from './field-objects.ts';
import { mapValues } from './map-values.ts';

/** The problems that any request can get. */
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

/** The methods for which `If-Match` is read, even where nothing has an entity tag. */
const CONDITIONAL_METHODS = ['GET', 'QUERY', 'PUT', 'PATCH', 'DELETE'];

/** The types of all problems that a route itself can respond with. */
export function problemTypesOf({
  method,
  operation,
  produces,
}: DescribedRoute): readonly ProblemType[] {
  const { arguments: parts = [], content, problems = [] } = operation;
  const all: readonly (ProblemCode | ProblemType)[] = [
    ...PROBLEMS_OF_ALL,
    ...(CONDITIONAL_METHODS.includes(method) ? (['invalid-precondition'] as const) : []),
    ...parts.flatMap((part) => part.problems),
    ...(produces.length > 0 ? (['not-acceptable'] as const) : []),
    ...(content ? [unsupportedOf(method), ...content.problems] : []),
    ...problems,
  ];
  const types = all.map(problemTypeOf);
  if (!operation.needsToken) return types;
  return types.map((type) => ({ ...type, fields: { ...type.fields, ...NO_STORE_FIELD } }));
}

/**
 * Describes problems, by status.
 * @param schema the schema of problems
 * @param examples problems to show as examples, if they are among these
 * @param path the path of the requests in the examples
 */
export function problemResponses(
  types: readonly ProblemType[],
  schema: NamedSchema,
  examples: readonly Problem[],
  path: string,
): Readonly<Record<string, JsonSchema>> {
  const byStatus: Record<string, Map<string, ProblemType>> = {};
  for (const type of types) {
    const status = String(type.status ?? 'default');
    byStatus[status] = (byStatus[status] ?? new Map()).set(type.code, type);
  }
  return mapValues(byStatus, (each) => problemResponse([...each.values()], schema, examples, path));
}

/** The problem of content of another media type, with the field that names those of the method. */
function unsupportedOf(method: string): ProblemType {
  const type = problemTypeOf('unsupported-media-type');
  const fields = { ...type.fields, [acceptFieldOf(method)]: 'The supported media types.' };
  return { ...type, fields };
}

function problemResponse(
  types: readonly ProblemType[],
  schema: NamedSchema,
  examples: readonly Problem[],
  path: string,
): JsonSchema {
  const named = examples
    .filter(({ code }) => types.some((type) => type.code === code))
    .map((problem) => [problem.code, { value: JSON.parse(problem.toJson(path)) }]);
  return {
    description: types.map(({ title, code }) => `${title} (\`${code}\`).`).join(' '),
    headers: Object.assign({}, ...types.map(({ fields = {} }) => fieldObjects(fields))),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema,
        examples: named.length > 0 ? Object.fromEntries(named) : undefined,
      },
    },
  };
}

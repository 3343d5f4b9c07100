import {
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemCode,
  type ProblemType,
  problemTypeOf,
  VIOLATION_CODES,
} from '../http/core/problem.ts';
import { acceptFieldOf } from '../http/request/header-section.ts';
import type { DescribedRoute } from '../http/routing/operation.ts';
import { NO_STORE_FIELD } from '../http/routing/response-fields.ts';
import { type JsonSchema, NamedSchema, objectSchema } from '../json/schema.ts';
import { fieldObjects, mapValues } from './objects.ts';

const VIOLATION_SCHEMA = new NamedSchema('Violation', () => ({
  description: 'A rule that the content of the request violates.',
  ...objectSchema({
    pointer: {
      type: 'string',
      pattern: '^#([/][^/]*)*$',
      description: 'Where: a JSON pointer (RFC 6901) as a URI fragment.',
    },
    code: { type: 'string', enum: VIOLATION_CODES, description: 'Which rule; it is stable.' },
    detail: { type: 'string', description: 'What is allowed, for people.' },
  }),
}));

/** The content of every response that is an error; these are all codes of the API. */
export function problemSchema(codes: readonly string[]): NamedSchema {
  return new NamedSchema('Problem', () => ({
    description: 'Problem details (RFC 9457).',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'The kind of problem, as a URN.' },
      title: { type: 'string', description: 'The kind of problem, for people.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What is wrong with this request, for people.' },
      instance: {
        type: 'string',
        format: 'uri-reference',
        description: 'The path of the request; a `urn:uuid` if none could be read.',
      },
      code: {
        type: 'string',
        enum: codes,
        description: 'The kind of problem, to branch on; it is stable.',
      },
      errors: {
        type: 'array',
        items: VIOLATION_SCHEMA,
        description: 'With `validation-failed`: every violation, in the order of the fields.',
      },
    },
  }));
}

/** The problems that any request can get. */
const PROBLEMS_OF_ALL: readonly ProblemCode[] = [
  ...(['malformed-request', 'malformed-query', 'request-timeout', 'content-too-large'] as const),
  ...(['uri-too-long', 'expectation-failed', 'header-fields-too-large'] as const),
  ...(['internal-error', 'not-implemented', 'overloaded', 'http-version-not-supported'] as const),
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
 * @param examples shown as far as they are among the types
 * @param path the path of the requests in the examples
 */
export function problemResponses(
  types: readonly ProblemType[],
  schema: NamedSchema,
  examples: readonly Problem[],
  path: string,
): Readonly<Record<string, JsonSchema>> {
  const byStatus: Record<string, Record<string, ProblemType>> = {};
  for (const type of types) {
    const { code, status = 'default' } = type;
    byStatus[status] = { ...byStatus[status], [code]: type };
  }
  const contentOf = (problem: Problem) => JSON.parse(String(problem.toResponse(path).content));
  return mapValues(byStatus, (byCode) => {
    const own = Object.values(byCode);
    const named = examples
      .filter(({ code }) => code in byCode)
      .map((problem) => [problem.code, { value: contentOf(problem) }]);
    const content = { schema, examples: named.length > 0 ? Object.fromEntries(named) : undefined };
    return {
      description: own.map(({ title, code }) => `${title} (\`${code}\`).`).join(' '),
      headers: Object.assign({}, ...own.map(({ fields = {} }) => fieldObjects(fields))),
      content: { [PROBLEM_MEDIA_TYPE]: content },
    };
  });
}

/** The problem of content of another media type, with the field that names those of the method. */
function unsupportedOf(method: string): ProblemType {
  const type = problemTypeOf('unsupported-media-type');
  const fields = { ...type.fields, [acceptFieldOf(method)]: 'The supported media types.' };
  return { ...type, fields };
}

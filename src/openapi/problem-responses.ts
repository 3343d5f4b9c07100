import {
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type Problem,
  type ProblemCode,
} from '../http/core/problem.ts';
import type { DescribedRoute } from '../http/routing/operation.ts';
import type { FieldDescriptions } from '../http/routing/response-fields.ts';
import type { JsonSchema } from '../json/schema.ts';
import { fieldObjects } from './field-objects.ts';
import { PROBLEM_SCHEMA } from './problem-schema.ts';

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
const CONDITIONAL_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** The header fields of problems. */
const FIELDS: Readonly<Partial<Record<ProblemCode, FieldDescriptions>>> = {
  'invalid-parameter': { 'Preference-Applied': 'If the request asked for strict handling.' },
  unauthorized: { 'WWW-Authenticate': 'The required scheme.' },
  'unsupported-media-type': {
    'Accept-Post': 'The supported media types.',
    'Accept-Patch': 'The supported media types.',
    'Accept-Encoding': 'If the content was compressed: the supported encodings.',
  },
  draining: { 'Retry-After': 'When to ask again, in seconds.' },
  overloaded: { 'Retry-After': 'When to try again, in seconds.' },
  'store-unavailable': { 'Retry-After': 'When to try again, in seconds.' },
  'outcome-unknown': { 'Retry-After': 'When to look again, in seconds.' },
};

const CODES = Object.keys(PROBLEMS).filter((code): code is ProblemCode => code in PROBLEMS);

/** The codes of all problems that a route can respond with, by status. */
export function problemsOf({
  method,
  operation,
}: DescribedRoute): Readonly<Record<string, readonly ProblemCode[]>> {
  const { arguments: parts = [], content, responses, problems = [], needsToken } = operation;
  const hasContent = Object.values(responses).some(({ mediaType }) => mediaType !== undefined);
  const all = new Set<ProblemCode>([
    ...PROBLEMS_OF_ALL,
    ...(CONDITIONAL_METHODS.includes(method) ? (['invalid-precondition'] as const) : []),
    ...(needsToken ? (['unauthorized'] as const) : []),
    ...parts.flatMap((part) => part.problems),
    ...(hasContent ? (['not-acceptable'] as const) : []),
    ...(content ? (['unsupported-media-type', ...content.problems] as const) : []),
    ...problems,
  ]);
  const byStatus: Record<string, readonly ProblemCode[]> = {};
  for (const code of CODES.filter((each) => all.has(each))) {
    const { status } = PROBLEMS[code];
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return byStatus;
}

/**
 * Describes the problems of one status.
 * @param examples problems to show as examples, if they are among these
 * @param path the path of the requests in the examples
 */
export function problemResponse(
  codes: readonly ProblemCode[],
  examples: readonly Problem[] = [],
  path = '',
): JsonSchema {
  const named = examples
    .filter(({ code }) => codes.includes(code))
    .map((problem) => [problem.code, { value: JSON.parse(problem.toJson(path)) }]);
  return {
    description: codes.map((code) => `${PROBLEMS[code].title} (\`${code}\`).`).join(' '),
    headers: Object.assign({}, ...codes.map((code) => fieldObjects(FIELDS[code] ?? {}))),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: PROBLEM_SCHEMA,
        examples: named.length > 0 ? Object.fromEntries(named) : undefined,
      },
    },
  };
}

import {
  PROBLEM_MEDIA_TYPE,
  Problem,
  type ProblemOptions,
  type ProblemType,
} from '../../lib/http/index.ts';
import { type JsonSchema, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import { type Operation, readPreconditions, writePreconditions } from '../operation.ts';
import { allProblemTypes, PROBLEM_TYPE_PREFIX } from '../problem-types.ts';
import { PARAMETER_CODES } from '../resource/query/parameters.ts';
import { VIOLATION_CODES } from '../resource/validation.ts';
import { fieldObjects, reference } from './parts.ts';

function stringSchema(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', ...more, description };
}

/** A code: any string, because later versions may have more codes. */
function codeText(codes: readonly string[]): JsonSchema {
  return stringSchema(`Stable, to branch on. More codes may come. One of ${codes.join(', ')}.`);
}

const VIOLATION = new NamedSchema('Violation', () => {
  const always = {
    code: codeText([...new Set([...VIOLATION_CODES, ...PARAMETER_CODES])]),
    detail: stringSchema('The rule in words, for people.'),
  };
  const place = {
    pointer: stringSchema(
      'The place in the content: a JSON pointer (RFC 6901) as a URI fragment.',
      {
        // `[/]`, for generators of code (decision 12).
        pattern: '^#([/][^/]*)*$',
      },
    ),
    parameter: stringSchema('The name of the parameter of the query string.'),
  };
  const description = 'A rule that the request violates: in its content, or by a parameter.';
  return { description, ...objectSchema(always, place) };
});

/** The schema of the content of every error. */
const PROBLEM = new NamedSchema('Problem', () => {
  const always = {
    type: stringSchema('The kind of problem, as a URN.', { format: 'uri' }),
    title: stringSchema('The kind of problem, for people.'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    detail: stringSchema('The reason in words, for people.'),
    instance: stringSchema('The path of the request; a `urn:uuid` if none could be read.', {
      format: 'uri-reference',
    }),
    code: codeText(allProblemTypes().map(({ code }) => code)),
  };
  const errors = {
    type: 'array',
    items: VIOLATION,
    description:
      'With `validation-failed`: every violation, in the order of the fields. With ' +
      '`invalid-parameter`: every refused parameter, in the order sent.',
  };
  return { description: 'Problem details (RFC 9457).', ...objectSchema(always, { errors }) };
});

/** Header fields of the response to a request that fails. */
const FIELDS = {
  'Cache-Control': 'Not to be stored: errors of reads, of `/admin`, and injected ones.',
  'Retry-After': 'When to try again, in seconds.',
  'WWW-Authenticate': 'The required scheme, with `unauthorized`.',
  'Accept-Post': 'The supported media types, with `unsupported-media-type`.',
  'Accept-Patch': 'The same for PATCH.',
  'Accept-Encoding': 'The supported encodings, if the content was compressed.',
  'X-Request-Id': 'The id of the request, if it has one.',
} as const;

/** A shared response: its name as a component, what it means, and its own header fields. */
interface ErrorResponse {
  readonly name: string;
  readonly description: string;
  readonly fields?: readonly (keyof typeof FIELDS)[];
}

/** The errors that operations name, by status. Any other error is {@link OTHER}. */
const ERRORS = {
  400: {
    name: 'BadRequest',
    description: 'An id, a parameter, a header field or the content is invalid.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The admin token is absent or wrong.',
    fields: ['WWW-Authenticate'],
  },
  404: { name: 'NotFound', description: 'No item has the id, or no list the name.' },
  409: { name: 'Conflict', description: 'The service cannot do this in its present state.' },
  412: {
    name: 'PreconditionFailed',
    description: '`If-Match` or `If-None-Match` is false, so nothing was done.',
  },
  413: { name: 'ContentTooLarge', description: 'The content is too long.' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The content is compressed, or is not JSON in UTF-8.',
    fields: ['Accept-Post', 'Accept-Patch', 'Accept-Encoding'],
  },
  507: {
    name: 'InsufficientStorage',
    description: 'There is no room for more items, or no id is left.',
  },
} as const satisfies Readonly<Record<number, ErrorResponse>>;

const OTHER = {
  name: 'Problem',
  description: 'Another error. Nothing has changed, unless the code is `outcome-unknown`.',
  fields: ['Retry-After'],
} as const satisfies ErrorResponse;

type ErrorStatus = keyof typeof ERRORS;

/** The errors of an operation, by status, as references to {@link errorComponents}. */
export function errorResponses(operation: Operation): JsonSchema {
  const responses = errorsOf(operation).map((status) => [status, ERRORS[status]] as const);
  return Object.fromEntries(
    [...responses, ['default', OTHER] as const].map(([status, { name }]) => [
      status,
      reference('responses', name),
    ]),
  );
}

/** The statuses of errors that a client has to expect from an operation, in ascending order. */
function errorsOf(operation: Operation): readonly ErrorStatus[] {
  const { needsToken = false, arguments: parts = [], content, errors = [] } = operation;
  const isConditional = parts.some(
    (part) => part === readPreconditions || part === writePreconditions,
  );
  const derived: readonly (ErrorStatus | false)[] = [
    (parts.length > 0 || content !== undefined) && 400,
    needsToken && 401,
    isConditional && 412,
    content !== undefined && 413,
    content !== undefined && 415,
  ];
  return [...derived, ...errors].filter((status) => status !== false).sort((a, b) => a - b);
}

/** The components `responses`, for all operations: each error that one of them names. */
export function errorComponents(operations: readonly Operation[]): JsonSchema {
  const named = new Set(operations.flatMap(errorsOf));
  const components = [...named]
    .sort((a, b) => a - b)
    .map((status) => {
      const response: ErrorResponse = ERRORS[status];
      const types = allProblemTypes().filter((type) => type.status === status);
      return [response.name, errorResponseObject(response, types)] as const;
    });
  const others = allProblemTypes().filter(({ status = 0 }) => !(status in ERRORS));
  return Object.fromEntries([...components, [OTHER.name, errorResponseObject(OTHER, others)]]);
}

function errorResponseObject(
  { description, fields = [] }: ErrorResponse,
  types: readonly ProblemType[],
): JsonSchema {
  const names = ['Cache-Control', ...fields] as const;
  const descriptions = Object.fromEntries(names.map((name) => [name, FIELDS[name]]));
  return {
    description,
    headers: {
      ...fieldObjects(descriptions, []),
      'X-Request-Id': reference('headers', 'X-Request-Id'),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: PROBLEM,
        examples: Object.fromEntries(types.map((type) => [type.code, exampleOf(type)])),
      },
    },
  };
}

/** The errors in the example of a problem, by its code. */
const EXAMPLE_ERRORS: Readonly<Record<string, ProblemOptions>> = {
  'validation-failed': {
    errors: [{ pointer: '#/title', code: 'required', detail: 'must be present' }],
  },
  'invalid-parameter': {
    errors: [{ parameter: 'limit', code: 'repeated', detail: 'limit must not be repeated' }],
  },
};

/** An Example Object (OpenAPI 3.1, section 4.8.19): a problem of a type, with its title as detail. */
function exampleOf(type: ProblemType): JsonSchema {
  const problem = new Problem(type, type.title, EXAMPLE_ERRORS[type.code]);
  return { value: problem.members('/', PROBLEM_TYPE_PREFIX) };
}

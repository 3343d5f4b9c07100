import {
  contentHash,
  JSON_MEDIA_TYPE,
  jsonResponse,
  PROBLEMS,
  type ProblemType,
  type Response,
} from '../../lib/http/index.ts';
import {
  byteString,
  type JsonSchema,
  mapValues,
  NamedSchema,
  objectSchema,
} from '../../lib/json/index.ts';
import { ABOUT, type DescribedRoute, describedRoute, readConditions } from '../operation.ts';
import { VIOLATION_CODES } from '../resource/validation.ts';
import { fieldObjects, operationObject, problemTypesOf, TOKEN_SCHEME } from './operation-object.ts';

/** Properties of the API as a whole. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** Problems from middleware that responds instead of the route. */
  readonly problemsOf: (route: DescribedRoute) => readonly ProblemType[];
  /** Problems that occur under other settings. Their codes are listed, too. */
  readonly otherProblems: readonly ProblemType[];
}

const OBJECT = { type: 'object' };

/** Some generated clients refuse additional members unless the schema allows them. */
const DOCUMENT = {
  ...objectSchema({ openapi: { type: 'string' }, info: OBJECT, paths: OBJECT }),
  additionalProperties: true,
};

const FIELDS = {
  ETag: 'Changes if and only if the document changes.',
  'Cache-Control': 'Revalidate before reuse.',
};

/** Serves the API document in OpenAPI 3.1. */
export function openApiRoute(info: ApiInfo, routes: readonly DescribedRoute[]): DescribedRoute {
  let response: Response | undefined;
  return describedRoute('GET', '/openapi.json', {
    id: 'getApiDocument',
    summary: 'Get the API document',
    description: 'Derived from the routes of this service, so it is complete.',
    tag: ABOUT,
    ignoresAccept: true,
    arguments: [readConditions],
    responses: {
      200: {
        description: 'The API document (OpenAPI 3.1).',
        content: { [JSON_MEDIA_TYPE]: DOCUMENT },
        headers: FIELDS,
      },
      304: { description: 'The document has not changed.', headers: FIELDS },
    },
    handle: () => {
      if (response !== undefined) return response;
      const text = JSON.stringify(openApiDocument(info, routes));
      const headers = { ETag: `"${contentHash(text)}"`, 'Cache-Control': 'no-cache' };
      response = jsonResponse(200, byteString(text), headers);
      return response;
    },
  });
}

const DESCRIPTION = `\
Every error is a problem (RFC 9457) with a stable \`code\` to branch on; it means that nothing \
has changed. HEAD works wherever GET does, and OPTIONS everywhere. Any other method of a known \
path gets 405 with \`Allow\`, an unknown path 404; paths are compared as sent. A request may have \
an \`X-Request-Id\` of 1 to 128 letters, digits, \`.\`, \`_\` and \`-\`, which the response \
returns. Integers keep all their digits, also above 2^53. Lengths of texts are in Unicode code \
points. Texts must be well-formed, without a lone surrogate.`;

/** Header fields that responses have whatever their status. */
const COMMON_FIELDS = fieldObjects({ 'X-Request-Id': 'The id of the request, if it has one.' });

const FIELD_REFERENCES = mapValues(COMMON_FIELDS, (_, name) => ({
  $ref: `#/components/headers/${name}`,
}));

function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', ...more, description };
}

const VIOLATION_SCHEMA = new NamedSchema('Violation', () => {
  // In generated Kotlin, an enum entry named `value` would clash with a property.
  const names = VIOLATION_CODES.map((code) => code.replaceAll('-', '_').toUpperCase());
  return {
    description: 'A rule that the content of the request violates.',
    ...objectSchema({
      pointer: text('The place: a JSON pointer (RFC 6901) as a URI fragment.', {
        pattern: '^#([/][^/]*)*$',
      }),
      code: text('The rule; it is stable.', { enum: VIOLATION_CODES, 'x-enum-varnames': names }),
      detail: text('The rule in words, for people.'),
    }),
  };
});

/** The schema of the content of every error. @param codes all codes of the API */
function problemSchema(codes: readonly string[]): NamedSchema {
  const always = {
    type: text('The kind of problem, as a URN.', { format: 'uri' }),
    title: text('The kind of problem, for people.'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    detail: text('The reason in words, for people.'),
    instance: text('The path of the request; a `urn:uuid` if none could be read.', {
      format: 'uri-reference',
    }),
    code: text('The kind of problem, to branch on; it is stable.', { enum: codes }),
  };
  const errors = {
    type: 'array',
    items: VIOLATION_SCHEMA,
    description: 'With `validation-failed`: every violation, in the order of the fields.',
  };
  return new NamedSchema('Problem', () => ({
    description: 'Problem details (RFC 9457).',
    ...objectSchema(always, { errors }),
  }));
}

/** Creates the API document from the routes. */
function openApiDocument(info: ApiInfo, routes: readonly DescribedRoute[]): JsonSchema {
  const { title, version, problemsOf, otherProblems } = info;
  const problems = new Map(
    routes.map((route) => [route, problemTypesOf(route, problemsOf(route))]),
  );
  const special = [...problems.values(), otherProblems].flat().map(({ code }) => code);
  const problem = problemSchema([...new Set([...Object.keys(PROBLEMS), ...special])]);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [route, types] of problems) {
    const { method, path } = route;
    const operation = operationObject(route, types, problem, FIELD_REFERENCES);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const schemas = new Map<string, unknown>();
  const isGuarded = routes.some(({ operation }) => operation.needsToken);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: DESCRIPTION,
      contact: { name: 'The todo-service maintainers' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'This service.' }],
    security: [],
    tags: [...new Map(routes.map(({ operation: { tag } }) => [tag.name, tag])).values()],
    paths: withReferences(paths, schemas),
    components: {
      schemas: Object.fromEntries(schemas),
      headers: COMMON_FIELDS,
      securitySchemes: isGuarded
        ? { [TOKEN_SCHEME]: { type: 'http', scheme: 'bearer', description: 'The admin token.' } }
        : undefined,
    },
  };
}

/** Replaces the named schemas in a part of the document by references, and collects them. */
function withReferences(part: unknown, schemas: Map<string, unknown>): unknown {
  if (part instanceof NamedSchema) {
    const { name } = part;
    if (!schemas.has(name)) {
      // Reserves its place before the schemas that it refers to, which may refer back to it.
      schemas.set(name, undefined);
      schemas.set(name, withReferences(part.make(), schemas));
    }
    return { $ref: `#/components/schemas/${name}` };
  }
  if (Array.isArray(part)) return part.map((each) => withReferences(each, schemas));
  if (typeof part !== 'object' || part === null) return part;
  return mapValues({ ...part }, (each: unknown) => withReferences(each, schemas));
}

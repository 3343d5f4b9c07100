import { PROBLEMS, type ProblemType } from '../http/core/problem.ts';
import type { DescribedRoute, Tag } from '../http/routing/operation.ts';
import { RESPONSE_FIELDS } from '../http/routing/response-fields.ts';
import { type JsonSchema, NamedSchema } from '../json/schema.ts';
import { mapValues } from './map-values.ts';
import { type OpenApiVersion, operationObject, TOKEN_SCHEME } from './operation-object.ts';
import { problemTypesOf } from './problem-responses.ts';
import { problemSchema } from './problem-schema.ts';

/** What the document says about the API as a whole. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** The problems that others than a route respond with in its place. */
  readonly problemsOf?: (route: DescribedRoute) => readonly ProblemType[];
}

const DESCRIPTION = `\
Every error is a problem (RFC 9457) with a stable \`code\` to branch on; it means that nothing \
has changed. HEAD works wherever GET does, and OPTIONS everywhere. Any other method of a known \
path gets 405 with \`Allow\`, an unknown path 404; paths are compared as sent. A request may have \
an \`X-Request-Id\` of 1 to 128 letters, digits, \`.\`, \`_\` and \`-\`, which the response \
returns. Integers keep all their digits, also above 2^53. Lengths of texts are in Unicode code \
points. Texts must be well-formed, without a lone surrogate.`;

/**
 * Makes the API document from the routes. OpenAPI 3.1 has no QUERY, so there words have
 * to do.
 */
export function openApiDocument(
  info: ApiInfo,
  routes: readonly DescribedRoute[],
  openapi: OpenApiVersion,
): JsonSchema {
  const { title, version, problemsOf = () => [] } = info;
  const problems = new Map(
    routes.map((route) => [route, [...problemTypesOf(route), ...problemsOf(route)]]),
  );
  const special = [...problems.values()].flat().map(({ code }) => code);
  const codes = new Set([...Object.keys(PROBLEMS), ...special]);
  const problem = problemSchema([...codes]);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [route, types] of problems) {
    if (isInWords(route, openapi)) continue;
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationObject(route, types, {
      ...{ version: openapi, problemSchema: problem },
      commonFields: hasQuery(routes, route.path) ? Object.keys(COMMON_FIELDS) : [REQUEST_ID],
    });
    paths[route.path] = operations;
  }
  const schemas = new Map<string, JsonSchema>();
  const isGuarded = routes.some(({ operation }) => operation.needsToken);
  return {
    openapi,
    info: {
      title,
      version,
      description: [DESCRIPTION, ...inWords(routes, openapi)].join('\n\n'),
      contact: { name: 'The todo-service maintainers' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    security: [],
    tags: tagsOf(routes),
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

const REQUEST_ID = 'X-Request-Id';

/** Header fields that responses have whatever their status. */
const COMMON_FIELDS = {
  [REQUEST_ID]: {
    description: 'The id of the request, if it has one.',
    schema: RESPONSE_FIELDS[REQUEST_ID],
  },
  'Accept-Query': {
    description: 'The media types of the content of a QUERY.',
    schema: RESPONSE_FIELDS['Accept-Query'],
  },
};

function hasQuery(routes: readonly DescribedRoute[], path: string): boolean {
  return routes.some((route) => route.method === 'QUERY' && route.path === path);
}

function isInWords({ method }: DescribedRoute, version: OpenApiVersion): boolean {
  return method === 'QUERY' && version === '3.1.0';
}

function inWords(routes: readonly DescribedRoute[], version: OpenApiVersion): readonly string[] {
  return routes
    .filter((route) => isInWords(route, version))
    .map(({ method, path, operation: { content, description } }) => {
      const types = content?.mediaTypes.map((type) => `\`${type}\``).join(' or ');
      return (
        `${method} of \`${path}\`, with ${types}, is described in \`/openapi-3.2.json\`, because ` +
        `OpenAPI 3.1 has no such method. ${description}`
      );
    });
}

/** Each tag once, in the order of the routes. */
function tagsOf(routes: readonly DescribedRoute[]): readonly Tag[] {
  return [...new Map(routes.map(({ operation: { tag } }) => [tag.name, tag])).values()];
}

/** Replaces the named schemas in a part of the document by references, and collects them. */
function withReferences(part: unknown, schemas: Map<string, JsonSchema>): unknown {
  if (part instanceof NamedSchema) {
    const { name } = part;
    if (!schemas.has(name)) {
      const { schema } = part;
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

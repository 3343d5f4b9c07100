import { JSON_MEDIA_TYPE, jsonResponse, type Response, tagHashOf } from '../../lib/http/index.ts';
import {
  exactJsonText,
  type JsonSchema,
  mapValues,
  NamedSchema,
  objectSchema,
} from '../../lib/json/index.ts';
import type { Feature } from '../feature.ts';
import { ListSite } from '../items/item-list.ts';
import {
  ABOUT,
  type DescribedRoute,
  describedRoute,
  type ParameterDescription,
  readPreconditions,
} from '../operation.ts';
import { errorComponents } from './error-responses.ts';
import { operationObject, TOKEN_SCHEME } from './operation-object.ts';
import { fieldObjects, reference } from './parts.ts';

/** Properties of the API as a whole. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
}

const OBJECT = { type: 'object' };

/** The schema of the document itself. Some clients would otherwise refuse other members. */
const DOCUMENT = {
  ...objectSchema({ openapi: { type: 'string' }, info: OBJECT, paths: OBJECT }),
  additionalProperties: true,
};

const FIELDS = {
  ETag: 'Changes if and only if the document changes.',
  'Cache-Control': 'Revalidate before reuse.',
};

/** Serves the API document in OpenAPI 3.1. It describes the routes of the site of the request. */
export function apiDocument(info: ApiInfo): Feature {
  const responses = new Map<readonly DescribedRoute[], Response>();
  const route = describedRoute('GET', '/openapi.json', {
    id: 'getApiDocument',
    summary: 'Get the API document',
    description: 'Derived from the routes of this service, so it is complete.',
    tag: ABOUT,
    ignoresAccept: true,
    arguments: [readPreconditions],
    responses: {
      200: {
        description: 'The API document (OpenAPI 3.1).',
        content: { [JSON_MEDIA_TYPE]: DOCUMENT },
        headers: FIELDS,
      },
      304: { description: 'The document has not changed.', headers: FIELDS },
    },
    handle: (request) => {
      const { routes } = ListSite.of(request).router;
      const response = responses.get(routes) ?? documentResponse(info, routes);
      responses.set(routes, response);
      return response;
    },
  });
  return { routes: [route] };
}

function documentResponse(info: ApiInfo, routes: readonly DescribedRoute[]): Response {
  // Examples may have integers beyond 2^53.
  const text = exactJsonText(openApiDocument(info, routes), Number.POSITIVE_INFINITY) ?? '';
  const headers = { ETag: `"${tagHashOf(text)}"`, 'Cache-Control': 'no-cache' };
  // A buffer, because strings would be copied for each client.
  return jsonResponse(200, Buffer.from(text), headers);
}

const DESCRIPTION = `\
Every error is a problem (RFC 9457) with a stable \`code\` to branch on; unless that is \
\`outcome-unknown\`, nothing has changed. HEAD works wherever GET does, and OPTIONS everywhere. \
Any other method of a known path gets 405 with \`Allow\`, an unknown path 404; paths are compared \
as sent. A request may have an \`X-Request-Id\` of 1 to 200 letters, digits and any of \
\`._-:=+/@;\`, which the response returns. Integers keep all their digits, also above 2^53. Lengths of \
texts are in Unicode code points. Texts must be well-formed, without a lone surrogate.`;

const TOKEN =
  'The admin token: the one of `ADMIN_TOKEN`, or else the one that the service shows at its terminal.';

/** Creates the API document from the routes. */
function openApiDocument({ title, version }: ApiInfo, routes: readonly DescribedRoute[]) {
  const shared = sharedParameters(routes);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const { method, path } = route;
    const operation = operationObject(route, (parameter) => {
      const name = shared.get(keyOf(parameter))?.name;
      return name === undefined ? parameterObject(parameter) : reference('parameters', name);
    });
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const schemas = new Map<string, unknown>();
  const operations = routes.map(({ operation }) => operation);
  const isGuarded = operations.some(({ needsToken }) => needsToken);
  const parameters = Object.fromEntries(
    [...shared.values()].map(({ name, parameter }) => [name, parameterObject(parameter)]),
  );
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
      responses: withReferences(errorComponents(operations), schemas),
      parameters: withReferences(parameters, schemas),
      headers: fieldObjects({ 'X-Request-Id': 'The id of the request, if it has one.' }),
      schemas: Object.fromEntries(schemas),
      securitySchemes: isGuarded
        ? { [TOKEN_SCHEME]: { type: 'http', scheme: 'bearer', description: TOKEN } }
        : undefined,
    },
  };
}

/** A parameter that several operations have, and its name as a component. */
interface SharedParameter {
  readonly name: string;
  readonly parameter: ParameterDescription;
}

/** The parameters that several operations have, by their JSON. */
function sharedParameters(routes: readonly DescribedRoute[]): ReadonlyMap<string, SharedParameter> {
  const shared = new Map<string, SharedParameter>();
  const seen = new Set<string>();
  const uses = new Map<string, number>();
  const parts = routes.flatMap(({ operation }) => operation.arguments ?? []);
  for (const parameter of parts.flatMap(({ parameters }) => parameters)) {
    const json = keyOf(parameter);
    if (seen.has(json) && !shared.has(json)) {
      // Parameters of one name may differ, such as conditions of reads and of writes. A component
      // must not have a name with `$` (OpenAPI 3.1.0, section 4.8.7.1).
      const word = parameter.name.replaceAll('$', '_');
      const number = (uses.get(word) ?? 0) + 1;
      uses.set(word, number);
      const name = number === 1 ? word : `${word}.${number}`;
      shared.set(json, { name, parameter });
    }
    seen.add(json);
  }
  return shared;
}

/** Its JSON, with integers beyond 2^53 as texts. */
function keyOf(parameter: ParameterDescription): string {
  return JSON.stringify(parameter, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

/** Parameters of the path are required, all others are optional. */
function parameterObject(parameter: ParameterDescription): JsonSchema {
  return { ...parameter, required: parameter.in === 'path' || undefined };
}

/** Replaces the named schemas within a value by references, and collects them. */
function withReferences(part: unknown, schemas: Map<string, unknown>): unknown {
  if (part instanceof NamedSchema) {
    const { name } = part;
    if (!schemas.has(name)) {
      // Reserves its place before the schemas that it refers to, which may refer back to it.
      schemas.set(name, undefined);
      schemas.set(name, withReferences(part.make(), schemas));
    }
    return reference('schemas', name);
  }
  if (Array.isArray(part)) return part.map((each) => withReferences(each, schemas));
  if (typeof part !== 'object' || part === null) return part;
  return mapValues({ ...part }, (each: unknown) => withReferences(each, schemas));
}

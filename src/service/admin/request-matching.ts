import { METHODS } from 'node:http';
import { fieldsOf, localPathOf, OUTSIDE, type Query, type Request } from '../../lib/http/index.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import { isReserved } from '../reserved-paths.ts';
import { headerFields } from '../resource/header-fields.ts';
import { type Members, string } from '../resource/shape.ts';
import { PARAMETERS, parametersOf } from './query-parameters.ts';
import type { RequestPattern } from './request-pattern.ts';

/** The paths of a service. */
export interface KnownPaths {
  /** The path prefix of all routes; empty if there is none. */
  readonly basePath: string;
  /** The path of all items, for examples. */
  readonly collection: string;
  /** All routes that a pattern can have. */
  readonly routes: readonly { readonly path: string }[];
}

/** The path of a request without the prefix of its list, but with the base path of the service. */
export function pathInList(
  { path, localPath, site }: Pick<Request, 'path' | 'localPath' | 'site'>,
  basePath: string,
): string {
  return site.basePath === basePath ? path : basePath + localPath;
}

/** The characters of a path as clients send it (RFC 3986, section 3.3; fetch sends a few more). */
const PATH = /^\/(?:(?:[!$&'()+,./0-9:;=@A-Z[\]^_a-z|~-]|%[0-9A-Fa-f]{2})*(?<!\/))?$/;

/** The marks of templates in other programs. No client sends them. */
const TEMPLATE = /[{}*<>]|\/:[a-z]/i;

/** The members of a request pattern. Reserved paths, and paths outside the base, are violations. */
export function patternMembers({ basePath, collection, routes }: KnownPaths) {
  /** Why a path cannot match; empty if it can. */
  const hintOn = (path: string): string => {
    if (TEMPLATE.test(path)) return `; use route for templates such as ${collection}/{id}`;
    const localPath = localPathOf(path, basePath);
    if (isReserved(localPath)) return '; probes, metrics and /admin are exempt';
    return localPath === OUTSIDE && path !== '/' ? `; all paths are below ${basePath}` : '';
  };
  const templates = [...new Set(routes.map(({ path }) => path))];
  return {
    method: string(
      'a known method in capital letters',
      (method) => method !== 'CONNECT' && METHODS.includes(method),
    ),
    path: string(
      'a path as clients send it: percent-encoded, without query and final "/"',
      (path) => PATH.test(path) && hintOn(path) === '',
      hintOn,
    ),
    route: string(
      `the template of a path as in the journal, such as ${collection}/{id}`,
      (route) => templates.includes(route),
      (route) => {
        const similar = nearest(route, templates);
        return similar === undefined ? '' : didYouMean(similar);
      },
    ),
    requestHeaders: REQUEST_FIELDS,
    query: { ...PARAMETERS, aliases: ['params', 'queryParams', 'queryParameters'] },
  } satisfies Members<RequestPattern>;
}

/** A request as patterns see it. */
export interface PatternSubject extends Pick<Request, 'method' | 'template'> {
  /** As `pathInList` returns it. */
  readonly path: string;
  readonly parameters: Query['parameters'];
  /** Whether it has a header field with this value. */
  hasField(name: string, value: string): boolean;
}

/** @param path as `pathInList` returns it */
export function patternSubject(request: Request, path: string): PatternSubject {
  let parameters: Query['parameters'] | undefined;
  return {
    method: request.method,
    template: request.template,
    path,
    get parameters() {
      parameters ??= parametersOf(() => request.query);
      return parameters;
    },
    hasField: (name, value) => fieldsOf(request, name).includes(value),
  };
}

/** Whether a request meets the conditions on its method, path and route. */
export function matchesTarget(
  { method, path, route }: RequestPattern,
  request: PatternSubject,
): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || path === '/' || `${request.path}/`.startsWith(`${path}/`)) &&
    (route === undefined || route === request.template)
  );
}

/** Whether a request meets the conditions on its header fields and its query string. */
export function matchesFields(
  { requestHeaders = {}, query = {} }: RequestPattern,
  request: PatternSubject,
): boolean {
  return (
    Object.entries(requestHeaders).every(([name, value]) => request.hasField(name, value)) &&
    Object.entries(query).every(([name, value]) =>
      request.parameters.some((sent) => sent[0] === name && sent[1] === value),
    )
  );
}

/** The shape of `requestHeaders`: fields that a request must have, with their values. */
const REQUEST_FIELDS = headerFields(
  'an object of header fields with different names, each with a text',
  { type: 'string' },
  (_, value) => (typeof value === 'string' ? value : undefined),
);

import { METHODS } from 'node:http';
import { fieldsOf, localPathOf, OUTSIDE, type Request } from '../../lib/http/index.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import { isReserved } from '../reserved-paths.ts';
import { headerFields } from '../resource/header-fields.ts';
import { type Members, text } from '../resource/shape.ts';
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
    method: text(
      'a known method in capital letters',
      (method) => method !== 'CONNECT' && METHODS.includes(method),
    ),
    path: text(
      'a path as clients send it: percent-encoded, without query and final "/"',
      (path) => PATH.test(path) && hintOn(path) === '',
      hintOn,
    ),
    route: text(
      `the template of a path as in the journal, such as ${collection}/{id}`,
      (route) => templates.includes(route),
      (route) => {
        const similar = nearest(route, templates);
        return similar === undefined ? '' : didYouMean(similar);
      },
    ),
    requestHeaders: REQUEST_FIELDS,
  } satisfies Members<RequestPattern>;
}

/**
 * Whether a request meets all conditions except those on its header fields.
 * @param request `path` as `pathInList` returns it
 */
export function matchesPattern(
  { method, path, route }: RequestPattern,
  request: Pick<Request, 'method' | 'path' | 'template'>,
): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || path === '/' || `${request.path}/`.startsWith(`${path}/`)) &&
    (route === undefined || route === request.template)
  );
}

/** The shape of `requestHeaders`: fields that a request must have, with their values. */
const REQUEST_FIELDS = headerFields(
  'an object of header fields with different names, each with a text',
  { type: 'string' },
  (_, value) => (typeof value === 'string' ? value : undefined),
);

/** Whether a request has all header fields, each with its value. */
export function hasFields(fields: Readonly<Record<string, string>>, request: Request): boolean {
  return Object.entries(fields).every(([name, value]) => fieldsOf(request, name).includes(value));
}

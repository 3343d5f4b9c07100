import { localPathOf, type Request } from '../../../lib/http/index.ts';
import { isExempt } from '../feature.ts';
import type { FaultScope } from './fault.ts';

type Address = Pick<Request, 'method' | 'path' | 'template'>;

/** Whether a request has a method, and goes to a path or a route, if these are given. */
export function isAt(
  scope: { readonly [K in 'method' | 'path' | 'route']?: FaultScope[K] | undefined },
  request: Address,
): boolean {
  const { method, path, route } = scope;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || isAtOrBelow(request.path, path)) &&
    (route === undefined || route === request.template)
  );
}

type Matched = Address & Pick<Request, 'query' | 'rawHeaders'>;

/** Whether a request is one of those that a fault is for. */
export function isWithin(scope: FaultScope, request: Matched): boolean {
  const { query = {}, requestHeaders = {} } = scope;
  return (
    isAt(scope, request) &&
    Object.entries(query).every(([name, value]) => hasParameter(request, name, value)) &&
    Object.entries(requestHeaders).every(([name, value]) => hasField(request, name, value))
  );
}

function isAtOrBelow(path: string, parent: string): boolean {
  return parent === '/' || path === parent || path.startsWith(`${parent}/`);
}

function hasParameter({ query }: Matched, name: string, value: string): boolean {
  return query.parameters.some(([each, given]) => each === name && given === value);
}

/** Looks at each field by itself, where several have the name. */
function hasField({ rawHeaders }: Matched, name: string, value: string): boolean {
  const lowerCase = name.toLowerCase();
  return rawHeaders.some(
    (each, i) => i % 2 === 0 && each.toLowerCase() === lowerCase && rawHeaders[i + 1] === value,
  );
}

/** The characters of a path that is percent-encoded, and how many a request can have. */
export const PATH_PATTERN = '^[/][!\\x22$->@-~]*$';
export const MAX_PATH = 8192;
const PATH = new RegExp(PATH_PATTERN);

/** Completes the sentence "must be …". */
export const PATH_ALLOWED =
  'a path that faults can hit: from its "/" on, encoded, without a query or a final "/"';

/** The base of the service that a request has reached. */
export function baseOf({ path, localPath }: Pick<Request, 'path' | 'localPath'>): string {
  return path.slice(0, path.length - localPath.length);
}

/** Whether a request can have this path, or one below it, and be hit or recorded. */
export function isMatchablePath(path: unknown, base = ''): path is string {
  if (typeof path !== 'string' || path.length > MAX_PATH || !PATH.test(path)) return false;
  return path === '/' || !(path.endsWith('/') || isExempt(localPathOf(path, base)));
}

/** A template of a path, such as `/api/todos/{id}`. */
export const ROUTE_PATTERN = '^[/][!-~]*$';
const ROUTE = new RegExp(ROUTE_PATTERN);

/** Completes the sentence "must be …". */
export const ROUTE_ALLOWED =
  'a template as the journal has it, such as /api/todos/{id}, that faults can hit';

/** Whether the journal can have this template. */
export function isMatchableRoute(route: unknown): route is string {
  if (typeof route !== 'string' || route.length > MAX_PATH || !ROUTE.test(route)) return false;
  return route === '/' || !(route.endsWith('/') || isExempt(route));
}

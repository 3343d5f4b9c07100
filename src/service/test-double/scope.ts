import { METHODS } from 'node:http';
import { localPathOf, OUTSIDE, type Request } from '../../lib/http/index.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import { isExempt } from '../exempt-paths.ts';
import { type Member, text } from '../resource/shape.ts';
import type { Scope } from './fault.ts';

/** The paths of a service. */
export interface KnownPaths {
  /** The path prefix of all routes; empty if there is none. */
  readonly basePath: string;
  /** The path of all items, for examples. */
  readonly collection: string;
  /** All routes, including routes added later. */
  readonly routes: readonly { readonly path: string }[];
}

/** The characters of a path as clients send it (RFC 3986, section 3.3; fetch sends a few more). */
const PATH = /^\/(?:(?:[!$&'()+,./0-9:;=@A-Z[\]^_a-z|~-]|%[0-9A-Fa-f]{2})*(?<!\/))?$/;

/** The marks of templates in other programs. No client sends them. */
const TEMPLATE = /[{}*<>]|\/:[a-z]/i;

/** The members of a scope. Paths that are exempt, or outside the base, are violations. */
export function scopeMembers({ basePath, collection, routes }: KnownPaths) {
  const hintOn = (path: string): string => {
    if (TEMPLATE.test(path)) return `; use route for templates such as ${collection}/{id}`;
    const localPath = localPathOf(path, basePath);
    if (isExempt(localPath)) return '; probes, metrics and /admin are exempt';
    return localPath === OUTSIDE && path !== '/' ? `; all paths are below ${basePath}` : '';
  };
  const templates = () =>
    [...new Set(routes.map(({ path }) => path))].filter((path) => !isExempt(path));
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
      (route) => templates().includes(route),
      (route) => didYouMean(...[nearest(route, templates()) ?? []].flat()),
    ),
  } satisfies Record<keyof Scope, Member<string>>;
}

/** Whether a request meets all conditions. */
export function isInScope(
  { method, path, route }: Scope,
  request: Pick<Request, 'method' | 'path' | 'template'>,
): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || path === '/' || `${request.path}/`.startsWith(`${path}/`)) &&
    (route === undefined || route === request.template)
  );
}

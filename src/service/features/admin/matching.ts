import { localPathOf, type Request, shown } from '../../../lib/http/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import { isExempt } from '../feature.ts';
import type { FaultScope } from './fault.ts';
import { type MemberRule, memberRule } from './member-rule.ts';

/** What is looked at in a request. */
export type Address = Pick<Request, 'method' | 'path' | 'template'>;

/** Whether a request has a method, and goes to a path or a route, if these are given. */
export function isAt(
  scope: { readonly [K in 'method' | 'path' | 'route']?: FaultScope[K] | undefined },
  request: Address,
): boolean {
  const { method, path, route } = scope;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || path === '/' || `${request.path}/`.startsWith(`${path}/`)) &&
    (route === undefined || route === request.template)
  );
}

/** Whether a request is one of those that a fault is for. */
export function isWithin(
  scope: FaultScope,
  request: Address & Pick<Request, 'query' | 'rawHeaders'>,
): boolean {
  const {
    query: { parameters },
    rawHeaders,
  } = request;
  const { query = {}, requestHeaders = {} } = scope;
  const hasParameter = ([name, value]: [string, string]) =>
    parameters.some(([each, given]) => each === name && given === value);
  // Looks at each field by itself, where several have the name.
  const hasField = ([name, value]: [string, string]) =>
    rawHeaders.some(
      (each, i) =>
        i % 2 === 0 && rawHeaders[i + 1] === value && each.toLowerCase() === name.toLowerCase(),
    );
  return (
    isAt(scope, request) &&
    Object.entries(query).every(hasParameter) &&
    Object.entries(requestHeaders).every(hasField)
  );
}

/** The characters of a path that is percent-encoded, and how many a request can have. */
const PATH_CHARACTERS = /^[/][!\x22$->@-~]*$/;
const MAX_LENGTH = 8192;

/** A path as it is sent, which stands for those below it, too. */
export const PATH: MemberRule = memberRule(
  { type: 'string', pattern: PATH_CHARACTERS.source, maxLength: MAX_LENGTH },
  'a path that faults can hit: from its "/" on, encoded, without a query or a final "/"',
  (path, { basePath }) => {
    if (typeof path !== 'string' || path.length > MAX_LENGTH) return false;
    if (path === '/' || !PATH_CHARACTERS.test(path)) return path === '/';
    return !path.endsWith('/') && !isExempt(localPathOf(path, basePath));
  },
);

/** The template of a route that requests can be recorded for. */
export const ROUTE: MemberRule = {
  schema: { type: 'string', pattern: '^[/][!-~]*$', maxLength: MAX_LENGTH },
  check: (value, { basePath, templates }) => {
    const known = templates().filter((template) => !isExempt(template));
    if (known.some((template) => template === value)) return undefined;
    const allowed =
      'a template as the journal has it, such as /api/todos/{id}, that faults can hit';
    const meant = typeof value === 'string' ? meantTemplate(value, basePath, known) : undefined;
    const hint = meant === undefined ? `use ${known.join(', ')}` : `did you mean ${meant}?`;
    return `must be ${allowed}, not ${shown(value)}; ${hint}`;
  },
};

/** The template that a path has, or else the nearest one; with the base of the service or not. */
function meantTemplate(text: string, base: string, known: readonly string[]): string | undefined {
  const path = text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return known.find(fits) ?? nearest(path, known);
}

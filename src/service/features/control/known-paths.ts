import { localPathOf, type Request } from '../../../lib/http/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { MemberRule } from '../../resource/member-rule.ts';
import { isExempt } from '../exempt-paths.ts';
import type { JournalFilter } from './journal-entry.ts';

/** The paths of a service. */
export interface KnownPaths {
  /** The path prefix of all routes; empty if there is none. */
  readonly basePath: string;
  /** The path templates of all routes, such as `/api/todos/{id}`. */
  readonly templates: readonly string[];
}

/** The parts of a request that a filter compares. */
export type RequestPath = Pick<Request, 'method' | 'path' | 'template'>;

/** Whether a request has the filter's method, path and route, as far as these are given. */
export function matchesFilter(
  { method, path, route }: JournalFilter,
  request: RequestPath,
): boolean {
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || isBelow(path, request)) &&
    (route === undefined || route === request.template)
  );
}

/** Whether a request is for a path or for one below it, by whole segments. */
export function isBelow(path: string, request: Pick<Request, 'path'>): boolean {
  return path === '/' || `${request.path}/`.startsWith(`${path}/`);
}

/** The characters of a percent-encoded path, and the longest path of a request. */
const PATH_CHARACTERS = /^[/][!\x22$->@-~]*$/;
const MAX_LENGTH = 8192;

/** The rules for a path and a route of faults and of the journal: exempt paths are refused. */
export function pathRules({ basePath, templates }: KnownPaths) {
  const known = templates.filter((template) => !isExempt(template));
  const path: MemberRule = {
    schema: { type: 'string', pattern: PATH_CHARACTERS.source, maxLength: MAX_LENGTH },
    allowed: 'a path that faults can hit: from its "/" on, encoded, without a query or a final "/"',
    accepts: (value) => {
      if (typeof value !== 'string' || value.length > MAX_LENGTH) return false;
      if (value === '/' || !PATH_CHARACTERS.test(value)) return value === '/';
      return !value.endsWith('/') && !isExempt(localPathOf(value, basePath));
    },
  };
  const route: MemberRule = {
    schema: { type: 'string', pattern: '^[/][!-~]*$', maxLength: MAX_LENGTH },
    allowed: 'a template as the journal has it, such as /api/todos/{id}, that faults can hit',
    accepts: (value) => known.some((template) => template === value),
    hint: (value) => {
      const suggestion = typeof value === 'string' && suggestedTemplate(value, basePath, known);
      return suggestion ? `did you mean ${suggestion}?` : `use ${known.join(', ')}`;
    },
  };
  return { path, route };
}

/** The template that matches a path with or without the base path, or else the nearest one. */
function suggestedTemplate(text: string, base: string, known: readonly string[]) {
  const path = text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const matches = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return known.find(matches) ?? nearest(path, known);
}

import { localPathOf, type Request } from '../../../lib/http/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import { isExempt } from '../feature.ts';
import type { FaultScope } from './fault.ts';
import type { JournalFilter } from './journal-entry.ts';
import type { Addresses, MemberRule } from './member-rule.ts';

/** What is looked at in a request. */
export type Address = Pick<Request, 'method' | 'path' | 'template'>;

/** Whether a request has a method, and goes to a path or a route, if these are given. */
export function isAt({ method, path, route }: JournalFilter, request: Address): boolean {
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
  const { parameters } = request.query;
  const { query = {}, requestHeaders = {} } = scope;
  return (
    isAt(scope, request) &&
    Object.entries(query).every(([name, value]) =>
      parameters.some(([each, given]) => each === name && given === value),
    ) &&
    Object.entries(requestHeaders).every(([name, value]) => fieldsOf(request, name).includes(value))
  );
}

/** The values of all header fields with a name, each by itself. */
export function fieldsOf({ rawHeaders }: Pick<Request, 'rawHeaders'>, name: string) {
  const wanted = name.toLowerCase();
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
}

/** The characters of a path that is percent-encoded, and how many a request can have. */
const PATH_CHARACTERS = /^[/][!\x22$->@-~]*$/;
const MAX_LENGTH = 8192;

/** A path as it is sent, which stands for those below it, too. */
export const PATH: MemberRule = {
  schema: { type: 'string', pattern: PATH_CHARACTERS.source, maxLength: MAX_LENGTH },
  allowed: 'a path that faults can hit: from its "/" on, encoded, without a query or a final "/"',
  accepts: (path, { basePath }) => {
    if (typeof path !== 'string' || path.length > MAX_LENGTH) return false;
    if (path === '/' || !PATH_CHARACTERS.test(path)) return path === '/';
    return !path.endsWith('/') && !isExempt(localPathOf(path, basePath));
  },
};

/** The template of a route that requests can be recorded for. */
export const ROUTE: MemberRule = {
  schema: { type: 'string', pattern: '^[/][!-~]*$', maxLength: MAX_LENGTH },
  allowed: 'a template as the journal has it, such as /api/todos/{id}, that faults can hit',
  accepts: (value, addresses) => knownTo(addresses).some((template) => template === value),
  hint: (value, addresses) => {
    const known = knownTo(addresses);
    const meant =
      typeof value === 'string' ? meantTemplate(value, addresses.basePath, known) : undefined;
    return meant === undefined ? `use ${known.join(', ')}` : `did you mean ${meant}?`;
  },
};

function knownTo({ templates }: Addresses): readonly string[] {
  return templates().filter((template) => !isExempt(template));
}

/** The template that a path has, or else the nearest one; with the base of the service or not. */
function meantTemplate(text: string, base: string, known: readonly string[]): string | undefined {
  const path = text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return known.find(fits) ?? nearest(path, known);
}

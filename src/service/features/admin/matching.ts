import { fieldsOf, isPreflight, localPathOf, type Request } from '../../../lib/http/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { MemberRule } from '../../resource/member-rule.ts';
import { isExempt, type Service } from '../feature.ts';
import type { Fault } from './fault.ts';
import type { JournalFilter } from './journal-entry.ts';

/** What requests to a service can be for. */
export type Addresses = Pick<Service, 'basePath' | 'templates'>;

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

/** Whether a fault is for a request: for a preflight only if that is the method of the fault. */
export function isWithin(fault: Fault, request: Request): boolean {
  const { parameters } = request.query;
  const { query = {}, requestHeaders = {} } = fault;
  return (
    isAt(fault, request) &&
    (fault.method !== undefined || !isPreflight(request)) &&
    Object.entries(query).every(([name, value]) =>
      parameters.some(([each, given]) => each === name && given === value),
    ) &&
    Object.entries(requestHeaders).every(([name, value]) => fieldsOf(request, name).includes(value))
  );
}

/** The characters of a path that is percent-encoded, and how many a request can have. */
const PATH_CHARACTERS = /^[/][!\x22$->@-~]*$/;
const MAX_LENGTH = 8192;

/** The rules for the paths and routes that faults can hit, and that requests are recorded for. */
export function addressRules({ basePath, templates }: Addresses) {
  const known = () => templates().filter((template) => !isExempt(template));
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
    accepts: (value) => known().some((template) => template === value),
    hint: (value) => {
      const meant = typeof value === 'string' && meantTemplate(value, basePath, known());
      return meant ? `did you mean ${meant}?` : `use ${known().join(', ')}`;
    },
  };
  return { path, route };
}

/** The template that a path has, or else the nearest one; with the base of the service or not. */
function meantTemplate(text: string, base: string, known: readonly string[]): string | undefined {
  const path = text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return known.find(fits) ?? nearest(path, known);
}

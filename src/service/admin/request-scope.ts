import { METHODS } from 'node:http';
import { fieldsOf, isToken, localPathOf, OUTSIDE, type Request } from '../../lib/http/index.ts';
import { isJsonObject, type JsonSchema } from '../../lib/json/index.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import { isExempt } from '../exempt-paths.ts';
import { type Members, type Shape, text } from '../resource/shape.ts';
import type { Scope } from './scope.ts';

/** The paths of a service. */
export interface KnownPaths {
  /** The path prefix of all routes; empty if there is none. */
  readonly basePath: string;
  /** The path of all items, for examples. */
  readonly collection: string;
  /** All routes that a scope can have. */
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

/** The members of a scope. Paths that are exempt, or outside the base, are violations. */
export function scopeMembers({ basePath, collection, routes }: KnownPaths) {
  /** Why a path cannot match; empty if it can. */
  const hintOn = (path: string): string => {
    if (TEMPLATE.test(path)) return `; use route for templates such as ${collection}/{id}`;
    const localPath = localPathOf(path, basePath);
    if (isExempt(localPath)) return '; probes, metrics and /admin are exempt';
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
  } satisfies Members<Scope>;
}

/**
 * Whether a request meets all conditions except those on its header fields.
 * @param request `path` as `pathInList` returns it
 */
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

/** The maximum length of the name of a field. */
const MAX_NAME = 100;

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

/**
 * The shape of an object of header fields.
 * @param allowed completes the sentence "must be …"
 * @param schema the schema of a value
 * @param copyOf returns a copy of the value of a field; undefined if it is not allowed
 */
export function headerFields<V>(
  allowed: string,
  schema: JsonSchema,
  copyOf: (name: string, value: unknown) => V | undefined,
): Shape<Readonly<Record<string, V>>> {
  return {
    schema: { type: 'object', additionalProperties: schema },
    read(given, validation) {
      const members = isJsonObject(given) ? Object.entries(given) : [];
      const fields = new Map<string, V>();
      const invalid: string[] = [];
      const names = new Set<string>();
      for (const [name, value] of members) {
        if (value === undefined) continue;
        const copy = copyOf(name, value);
        const isName = isToken(name) && name.length <= MAX_NAME;
        const isRepeated = names.has(name.toLowerCase());
        names.add(name.toLowerCase());
        if (copy === undefined || isRepeated || !isName) invalid.push(name);
        else fields.set(name, copy);
      }
      if (isJsonObject(given) && invalid.length === 0) return Object.fromEntries(fields);
      // A text and the values of fields are not shown, because they may be credentials.
      const isShown = typeof given !== 'string' && !isJsonObject(given);
      const found = isShown ? `, not ${formatValue(given)}` : '';
      const hint = invalid.length === 0 ? '' : `; see ${invalid.map(quoted).join(', ')}`;
      return validation.violate('value', `must be ${allowed}${found}${hint}`);
    },
  };
}

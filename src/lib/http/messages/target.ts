import { closingProblem, Problem } from './problem.ts';

/** The longest request target that is read, in bytes (RFC 9112, section 3, recommends 8000). */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Marks a path outside the base. No route has it: route paths are empty or begin with `/`. */
export const OUTSIDE = 'outside';

/** An absolute http or https URI. Captures the authority, and the text after it. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/;

/**
 * The path of a target (RFC 9112, section 3.2) as it was sent; empty if the form is not valid, and
 * cut off if the target is too long.
 */
export function pathOf(target: string): string {
  const relative = relativeOf(target).slice(0, MAX_TARGET_BYTES);
  const end = relative.search(/[?#]/);
  return end === -1 ? relative : relative.slice(0, end);
}

/**
 * The path relative to `base`: empty for the base itself, {@link OUTSIDE} for a path that is not
 * below it. `*`, the target of the server itself, stays the same.
 * @param base empty, or a path without a final slash
 */
export function localPathOf(path: string, base: string): string {
  if (base === '' || path === '*') return path;
  return isWithin(path, base) ? path.slice(base.length) : OUTSIDE;
}

/** Whether a path is `parent`, or below it. */
export function isWithin(path: string, parent: string): boolean {
  return path.startsWith(parent) && (path.length === parent.length || path[parent.length] === '/');
}

/**
 * Checks the length and the form of a target, without its query.
 * @param path the target's path, from {@link pathOf}
 * @throws Problem
 */
export function checkTarget(target: string, path: string): void {
  if (target.length > MAX_TARGET_BYTES) throw targetTooLong();
  if (target.includes('#')) throw malformed('must not contain a fragment ("#")');
  if (path === '') throw malformed('must be a path that starts with "/", or an absolute http URI');
}

/** The query of a target that has been checked. @throws Problem `malformed-query` */
export function queryOf(target: string): Query {
  const mark = target.indexOf('?');
  return mark === -1 ? Query.EMPTY : new Query(target.slice(mark + 1));
}

/** The problem of a target longer than {@link MAX_TARGET_BYTES}. */
export function targetTooLong(): Problem {
  const detail = `The request target must be at most ${MAX_TARGET_BYTES} bytes long`;
  return closingProblem('uri-too-long', detail);
}

/** The authority of an absolute URI; undefined for any other target. */
export function authorityOf(target: string): string | undefined {
  return target.startsWith('/') ? undefined : ABSOLUTE_FORM.exec(target)?.[1];
}

/** The target without the authority of an absolute URI; empty if the form is not valid. */
function relativeOf(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const [, , rest] = ABSOLUTE_FORM.exec(target) ?? [];
  if (rest === undefined) return '';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function malformed(rule: string): Problem {
  return new Problem('malformed-request', `The request target ${rule}`);
}

/** The maximum number of parameters that a query string may have where they have an effect. */
export const MAX_PARAMETERS = 500;

/** A parameter of a query string, decoded. */
type Parameter = readonly [name: string, value: string];

/** The parameters of a query string, decoded as application/x-www-form-urlencoded. */
export class Query {
  static readonly EMPTY: Query = new Query('');

  /** The parameters in the order sent; none of them if there are more than {@link MAX_PARAMETERS}. */
  readonly parameters: readonly Parameter[];
  /** The number of parameters that were sent, without empty ones between two `&`. */
  readonly count: number;

  /** Decodes the text after `?`. @throws Problem `malformed-query` if it is not encoded UTF-8 */
  constructor(text: string) {
    if (NOT_PRINTABLE_ASCII.test(text)) throw malformedQuery();
    const pairs = text.split('&').filter((pair) => pair !== '');
    this.count = pairs.length;
    const isTooLong = pairs.length > MAX_PARAMETERS;
    // Too many are only checked, in one call, because paths that ignore the query refuse an invalid one.
    if (isTooLong) decode(text);
    this.parameters = isTooLong ? [] : pairs.map(parameterOf);
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }
}

function parameterOf(pair: string): Parameter {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decode(pair), ''];
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformedQuery();
  }
}

function malformedQuery(): Problem {
  const detail =
    'The query string must be percent-encoded UTF-8: write a "%" as "%25", an "é" as "%C3%A9"';
  return new Problem('malformed-query', detail);
}

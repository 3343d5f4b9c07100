import { Problem } from '../core/problem.ts';
import { Query } from '../core/query.ts';

/** The longest request target that is read, in bytes (RFC 9112, section 3, recommends 8000). */
export const MAX_TARGET_BYTES = 8 * 1024;

/** The parts of a request target: the path exactly as sent, and the decoded query. */
export interface Target {
  readonly path: string;
  readonly query: Query;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * Splits a request target (RFC 9112, section 3.2) into path and query. The path is neither decoded
 * nor normalised. Of an absolute URI, only path and query count; the asterisk form has the path
 * `*`.
 * @throws Problem if the target is too long, has a fragment or has no valid form
 */
export function parseTarget(target: string): Target {
  if (target.length > MAX_TARGET_BYTES) throw targetTooLong();
  if (target.includes('#')) throw malformed('must not contain a fragment ("#")');
  const relative = isRelative(target) ? target : withoutAuthority(target);
  if (relative === undefined) {
    throw malformed('must be a path that starts with "/", or an absolute http URI');
  }
  const mark = relative.indexOf('?');
  if (mark === -1) return { path: relative, query: Query.EMPTY };
  return { path: relative.slice(0, mark), query: Query.parse(relative.slice(mark + 1)) };
}

/** The path of any target, as far as it has one, for error reports. */
export function pathOf(target: string): string {
  const relative = isRelative(target) ? target : (withoutAuthority(target) ?? '');
  const end = relative.search(/[?#]/);
  return (end === -1 ? relative : relative.slice(0, end)).slice(0, MAX_TARGET_BYTES);
}

/** The problem of a target longer than {@link MAX_TARGET_BYTES}. */
export function targetTooLong(): Problem {
  const detail = `The request target must be at most ${MAX_TARGET_BYTES} bytes long`;
  return new Problem('uri-too-long', detail, { close: true });
}

function isRelative(target: string): boolean {
  return target.startsWith('/') || target === '*';
}

/** The path and query of an absolute URI; undefined if the target is not one. */
function withoutAuthority(target: string): string | undefined {
  const authority = ABSOLUTE_FORM.exec(target);
  if (authority === null || authority[1] === '') return undefined;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function malformed(rule: string): Problem {
  return new Problem('malformed-request', `The request target ${rule}`);
}

import { Problem } from '../core/problem.ts';
import { Query } from '../core/query.ts';

/** The longest request target that is read, in bytes (RFC 9112, section 3, recommends 8000). */
export const MAX_TARGET_BYTES = 8 * 1024;

/** What a request asks for: a path exactly as it was sent, and the decoded query. */
export interface Target {
  readonly path: string;
  readonly query: Query;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * Splits a request target (RFC 9112, section 3.2) into path and query. Nothing is decoded or
 * normalised in the path; of the absolute form only path and query count; the asterisk form comes
 * back as the path `*`.
 * @throws Problem when the target is too long, has a fragment or is of no form a server answers.
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

/** The path of any target, as far as it has one: what an error is reported for. */
export function pathOf(target: string): string {
  const relative = isRelative(target) ? target : (withoutAuthority(target) ?? '');
  const end = relative.search(/[?#]/);
  return (end === -1 ? relative : relative.slice(0, end)).slice(0, MAX_TARGET_BYTES);
}

/** The response to a target longer than {@link MAX_TARGET_BYTES}. */
export function targetTooLong(): Problem {
  const detail = `The request target must be at most ${MAX_TARGET_BYTES} bytes long`;
  return new Problem('uri-too-long', detail, { close: true });
}

function isRelative(target: string): boolean {
  return target.startsWith('/') || target === '*';
}

/** The rest of an absolute URI, which starts with a slash; undefined where the target is none. */
function withoutAuthority(target: string): string | undefined {
  const authority = ABSOLUTE_FORM.exec(target);
  if (authority === null || authority[1] === '') return undefined;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function malformed(rule: string): Problem {
  return new Problem('malformed-request', `The request target ${rule}`);
}

import { Problem } from './problem.ts';
import { Query } from './query.ts';

/** The longest request target that is read, in bytes (RFC 9112, section 3, recommends to support 8000). */
export const MAX_TARGET_BYTES = 8 * 1024;

/** What a request asks for: a path exactly as it was sent, and the decoded query. */
export interface Target {
  readonly path: string;
  readonly query: Query;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;
const UNSAFE_IN_URI = /[^\x21-\x7e]|["<>\\^`{|}]/;

/**
 * Splits a request target (RFC 9112, section 3.2) into path and query. Nothing is decoded or normalised in
 * the path; of the absolute form only path and query count; the asterisk form comes back as the path `*`.
 * @throws Problem when the target is too long, has a fragment or is of no form a server answers.
 */
export function parseTarget(target: string): Target {
  if (target.length > MAX_TARGET_BYTES) throw targetTooLong();
  if (target.includes('#')) throw malformed('must not contain a fragment ("#")');
  const relative = target.startsWith('/') || target === '*' ? target : withoutAuthority(target);
  const mark = relative.indexOf('?');
  if (mark === -1) return { path: relative, query: Query.EMPTY };
  return { path: relative.slice(0, mark), query: Query.parse(relative.slice(mark + 1)) };
}

/** The answer to a target longer than {@link MAX_TARGET_BYTES}. */
export function targetTooLong(): Problem {
  const detail = `The request target must be at most ${MAX_TARGET_BYTES} bytes long`;
  return new Problem('uri-too-long', detail, { close: true });
}

/** The path of a target as a URI reference, for `instance`: characters that no URI may have are percent-encoded. */
export function toInstance(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  return UNSAFE_IN_URI.test(path) ? encodeURI(path).replaceAll('%25', '%') : path;
}

function withoutAuthority(target: string): string {
  const authority = ABSOLUTE_FORM.exec(target);
  if (authority === null || authority[1] === '') {
    throw malformed('must be a path that starts with "/", or an absolute http URI');
  }
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function malformed(rule: string): Problem {
  return new Problem('malformed-request', `The request target ${rule}`);
}

import { Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';
import { closeContent, type Response, withoutContent } from '../core/response.ts';

/** The entity tags of a field: `*`, or a list. */
type EntityTags = '*' | readonly string[];

/** An element of a list, possibly empty, and the comma after it (RFC 9110, section 8.8.3). */
const ELEMENT = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,|$)/y;

const READS = ['GET', 'HEAD', 'QUERY'];
const WITH_IF_MATCH = [...READS, 'PUT', 'PATCH', 'DELETE'];

/**
 * Checks that `If-Match` can be parsed, for methods that use it.
 * @throws Problem `invalid-precondition`
 */
export function checkIfMatch({ method, headers }: Request): void {
  const field = headers['if-match'];
  if (field === undefined || !WITH_IF_MATCH.includes(method)) return;
  if (parseEntityTags(field) !== undefined) return;
  const detail = 'If-Match must be "*" or a list of entity tags, such as "xyzzy", "r2d2"';
  throw new Problem('invalid-precondition', detail);
}

/**
 * Checks the preconditions of a write (RFC 9110, section 13.2.2).
 * @param tagNow returns the current strong entity tag; undefined if the item does not exist
 * @throws Problem `precondition-failed`
 */
export function checkPreconditions(request: Request, tagNow: () => string | undefined): void {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const tag = tagNow();
  if (ifMatch !== undefined && !isMatch(request, tag)) throw preconditionFailed('If-Match');
  if (ifNoneMatch !== undefined && includes(parseEntityTags(ifNoneMatch), tag, isSameWeakly)) {
    throw preconditionFailed('If-None-Match');
  }
}

/** Whether the current tag satisfies `If-Match` (RFC 9110, section 13.1.1). */
export function isMatch({ headers }: Request, tag: string | undefined): boolean {
  return includes(parseEntityTags(headers['if-match'] ?? ''), tag, isSameStrongly);
}

/**
 * Whether a read can get 304, because its `If-None-Match` has the tag (RFC 9110, section 13.1.2).
 * An `If-Match` that does not hold comes first (section 13.2.2).
 */
export function isNotModified(request: Request, tag: string): boolean {
  const { method, headers } = request;
  const field = headers['if-none-match'];
  if (field === undefined || !READS.includes(method)) return false;
  if (headers['if-match'] !== undefined && !isMatch(request, tag)) return false;
  return includes(parseEntityTags(field), tag, isSameWeakly);
}

/**
 * The response to a conditional read: 304 if the client has the current entity tag. Writes check
 * their preconditions themselves, within their transaction.
 * @throws Problem `precondition-failed`
 */
export function withPreconditions(response: Response, request: Request): Response {
  const tag = response.headers?.ETag;
  const { method, headers } = request;
  if (tag === undefined || response.status !== 200) return response;
  if (!READS.includes(method)) return response;
  if (headers['if-match'] !== undefined && !isMatch(request, tag)) {
    closeContent(response);
    throw preconditionFailed('If-Match');
  }
  return isNotModified(request, tag) ? withoutContent(response, 304) : response;
}

/** The tags of a field; undefined if it cannot be parsed or lists none. */
function parseEntityTags(field: string): EntityTags | undefined {
  if (field.trim() === '*') return '*';
  const tags: string[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < field.length) {
    const match = ELEMENT.exec(field);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length > 0 ? tags : undefined;
}

function includes(
  tags: EntityTags | undefined,
  tag: string | undefined,
  isSame: (a: string, b: string) => boolean,
): boolean {
  if (tags === undefined || tag === undefined) return false;
  return tags === '*' || tags.some((each) => isSame(each, tag));
}

/**
 * Strong comparison (RFC 9110, section 8.8.3.2): our tags are strong, so a weak tag never matches.
 */
function isSameStrongly(sent: string, tag: string): boolean {
  return sent === tag;
}

function isSameWeakly(sent: string, tag: string): boolean {
  return sent === tag || sent === `W/${tag}`;
}

/** The problem of a precondition that does not hold. */
export function preconditionFailed(field: 'If-Match' | 'If-None-Match'): Problem {
  const verb = field === 'If-Match' ? 'does not match' : 'matches';
  return new Problem('precondition-failed', `${field} ${verb} the current version`);
}

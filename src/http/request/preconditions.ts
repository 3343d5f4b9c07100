import { Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';
import { closeContent, type Response } from '../core/response.ts';

/** An entity tag (RFC 9110, section 8.8.3), as a pattern of the API document (decision 14). */
const ENTITY_TAG = '(?:W[/])?\\x22[\\x21\\x23-\\x7e\\x80-\\xff]*\\x22';

/** A list of tags; other elements of it may be empty (section 5.6.1). */
const TAG_LIST = `[\\t ,]*${ENTITY_TAG}(?:[\\t ]*,[\\t ,]*${ENTITY_TAG})*[\\t ,]*`;

/** The pattern of an `If-Match` that can be parsed (section 13.1.1). */
export const IF_MATCH_PATTERN = `^(?:[*]|${TAG_LIST})$`;

const EACH_TAG = new RegExp(ENTITY_TAG, 'g');
const IF_MATCH = new RegExp(IF_MATCH_PATTERN);

const READS = ['GET', 'HEAD', 'QUERY'];
const WITH_IF_MATCH = [...READS, 'PUT', 'PATCH', 'DELETE'];

/** Checks an `If-Match`, for methods that use it. @throws Problem `invalid-precondition` */
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
  if (ifMatch !== undefined && !hasTag(ifMatch, tag)) throw preconditionFailed('If-Match');
  if (ifNoneMatch !== undefined && hasTagWeakly(ifNoneMatch, tag)) {
    throw preconditionFailed('If-None-Match');
  }
}

/** Whether a read can get 304; an `If-Match` comes first (RFC 9110, sections 13.1.2, 13.2.2). */
export function isNotModified({ method, headers }: Request, tag: string): boolean {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch === undefined || !READS.includes(method)) return false;
  return (ifMatch === undefined || hasTag(ifMatch, tag)) && hasTagWeakly(ifNoneMatch, tag);
}

/**
 * The response to a conditional read: 304 if the client has the current entity tag. Writes check
 * their preconditions themselves, within their transaction.
 * @throws Problem `precondition-failed`
 */
export function withPreconditions(response: Response, request: Request): Response {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return response;
  const { status, headers } = response;
  const tag = headers?.ETag;
  if (tag === undefined || status !== 200 || !READS.includes(request.method)) return response;
  const isFailed = ifMatch !== undefined && !hasTag(ifMatch, tag);
  if (!isFailed && !isNotModified(request, tag)) return response;
  closeContent(response);
  if (isFailed) throw preconditionFailed('If-Match');
  return { status: 304, headers };
}

/** The tags of a field, `*` or a list; undefined if it cannot be parsed or lists none. */
function parseEntityTags(field: string): '*' | readonly string[] | undefined {
  if (field === '*') return '*';
  return IF_MATCH.test(field) ? (field.match(EACH_TAG) ?? undefined) : undefined;
}

/** Whether a field has a tag by strong comparison (RFC 9110, section 8.8.3.2), or is `*`. */
function hasTag(field: string, tag: string | undefined): boolean {
  const tags = parseEntityTags(field);
  return tag !== undefined && tags !== undefined && (tags === '*' || tags.includes(tag));
}

/** Whether a field has a tag, by weak comparison. */
function hasTagWeakly(field: string, tag: string | undefined): boolean {
  return tag !== undefined && (hasTag(field, tag) || hasTag(field, `W/${tag}`));
}

/** The problem of a precondition that does not hold. */
export function preconditionFailed(field: 'If-Match' | 'If-None-Match'): Problem {
  const verb = field === 'If-Match' ? 'does not match' : 'matches';
  return new Problem('precondition-failed', `${field} ${verb} the current version`);
}

/** How many characters of a hash to use, 6 bits each: enough to rule out an accident. */
const LENGTH = 24;

/** Loaded when it is first needed, because that takes as long as a tenth of the start. */
let hash: typeof import('node:crypto').hash | undefined;

/** A SHA-256 hash of a text, of characters that may be in an entity tag. */
export function contentHash(text: string): string {
  hash ??= process.getBuiltinModule('node:crypto').hash;
  return hash('sha256', text, 'base64url').slice(0, LENGTH);
}

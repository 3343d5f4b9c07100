import { Problem } from '../messages/problem.ts';
import type { Request } from '../messages/request.ts';
import type { Response } from '../messages/response.ts';
import { hasTag, isTagList } from './field-values.ts';

const READS = ['GET', 'HEAD'];
const WITH_IF_MATCH = [...READS, 'PUT', 'PATCH', 'DELETE'];

/** True for GET and HEAD. */
export function isReadMethod({ method }: Request): boolean {
  return READS.includes(method);
}

/** Checks an `If-Match`, for methods that use it. @throws Problem `invalid-precondition` */
export function checkIfMatch({ method, headers }: Request): void {
  const field = headers['if-match'];
  if (field === undefined || !WITH_IF_MATCH.includes(method) || isTagList(field)) return;
  const detail = 'If-Match must be "*" or a list of entity tags, such as "xyzzy", "r2d2"';
  throw new Problem('invalid-precondition', detail);
}

/**
 * Checks the preconditions of a write.
 * @param currentTag returns the current strong tag
 * @throws Problem `precondition-failed`
 */
export function checkPreconditions(request: Request, currentTag: () => string | undefined): void {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const failed = failedPrecondition(request, currentTag());
  if (failed !== undefined) throw preconditionFailed(failed);
}

/** Whether a read gets 304; not if its `If-Match` fails (RFC 9110, sections 13.1.2, 13.2.2). */
export function isNotModified(request: Request, tag: string): boolean {
  return isReadMethod(request) && failedPrecondition(request, tag) === 'If-None-Match';
}

/**
 * Checks the preconditions of a read, whose response has the tag. A write is left as it is: if it
 * is to an item, it has called `checkPreconditions` in its transaction.
 * @throws Problem `precondition-failed`
 */
export function withReadPreconditions(response: Response, request: Request): Response {
  const { status, headers } = response;
  const tag = headers?.ETag;
  if (tag === undefined || status !== 200 || !isReadMethod(request)) return response;
  const failed = failedPrecondition(request, tag);
  if (failed === undefined) return response;
  if (failed === 'If-Match') throw preconditionFailed(failed);
  return { status: 304, headers };
}

type Precondition = 'If-Match' | 'If-None-Match';

/** The first precondition that does not hold for a tag (RFC 9110, section 13.2.2). */
function failedPrecondition(request: Request, tag?: string): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch !== undefined && !hasTag(ifMatch, tag)) return 'If-Match';
  if (ifNoneMatch === undefined || tag === undefined || request.ignoresIfNoneMatch) {
    return undefined;
  }
  // This comparison is weak.
  const isMatched = hasTag(ifNoneMatch, tag) || hasTag(ifNoneMatch, `W/${tag}`);
  return isMatched ? 'If-None-Match' : undefined;
}

/** The problem of a precondition that does not hold. */
function preconditionFailed(field: Precondition): Problem {
  const verb = field === 'If-Match' ? 'does not match' : 'matches';
  return new Problem('precondition-failed', `${field} ${verb} the current version`);
}

import { type Middleware, mapResponse } from '../core/handler.ts';
import type { Request } from '../core/request.ts';
import { closeContent, type Response, withoutContent } from '../core/response.ts';
import {
  checkIfMatch,
  isMatch,
  isNotModified,
  preconditionFailed,
} from '../request/preconditions.ts';

/**
 * Conditional reads (RFC 9110, section 13): a GET gets 304 if the client has the current entity
 * tag. Writes check their preconditions themselves, within their transaction.
 */
export const conditional: Middleware = (next) => (request) => {
  checkIfMatch(request);
  return mapResponse(next(request), request, conditioned);
};

function conditioned(response: Response, request: Request): Response {
  const tag = response.headers?.ETag;
  const { method, headers } = request;
  if (tag === undefined || response.status !== 200) return response;
  if (method !== 'GET' && method !== 'HEAD') return response;
  if (headers['if-match'] !== undefined && !isMatch(request, tag)) {
    closeContent(response);
    throw preconditionFailed('If-Match');
  }
  return isNotModified(request, tag) ? withoutContent(response, 304) : response;
}

import { type Middleware, mapResponse } from '../core/handler.ts';
import type { Request } from '../core/request.ts';
import { type Response, withHeaders } from '../core/response.ts';

/** Returns the id of a request: the client's, or the one made because something was logged. */
export const requestId: Middleware = (next) => (request) =>
  mapResponse(next(request), request, identified);

function identified(response: Response, { knownId }: Request): Response {
  return knownId === undefined ? response : withHeaders(response, { 'X-Request-Id': knownId });
}

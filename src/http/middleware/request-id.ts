import { type Middleware, mapResponse } from '../core/handler.ts';
import { withHeaders } from '../core/response.ts';

/**
 * Sends back the id of a request: the one that the client gave, or the one that was made because
 * something was logged about it.
 */
export const requestId: Middleware = (next) => (request) =>
  mapResponse(next(request), (response) => {
    const id = request.knownId;
    return id === undefined ? response : withHeaders(response, { 'X-Request-Id': id });
  });

import { type Middleware, mapResponse } from '../core/handler.ts';
import { withHeaders } from '../core/response.ts';

/** Returns the id of a request: the client's, or the one made because something was logged. */
export const requestId: Middleware = (next) => (request) =>
  mapResponse(next(request), (response) => {
    const id = request.knownId;
    return id === undefined ? response : withHeaders(response, { 'X-Request-Id': id });
  });

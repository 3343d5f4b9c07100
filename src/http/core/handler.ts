import type { Request } from './request.ts';
import type { Response } from './response.ts';

/**
 * Responds to a request.
 * @throws Problem to respond with an error; anything else thrown becomes a 500.
 */
export type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Wraps a handler. The result sees every request first and every response last, including 404s,
 * 405s and 500s.
 * @example const timed: Middleware = (next) => (request) => {
 *   const start = clock.now();
 *   return mapResponse(next(request), request, (response) => {
 *     record(request.template, response.status, clock.now() - start);
 *     return response;
 *   });
 * };
 */
export type Middleware = (next: Handler) => Handler;

/**
 * Wraps a handler in middleware, the first outermost. Whatever one of them throws reaches those
 * around it as a response.
 * @param onError makes that response
 */
export function compose(
  middleware: readonly Middleware[],
  handler: Handler,
  onError: (error: unknown, request: Request) => Response,
): Handler {
  return middleware.reduceRight(
    (next, wrap) => guarded(wrap(next), onError),
    guarded(handler, onError),
  );
}

function guarded(
  handler: Handler,
  onError: (error: unknown, request: Request) => Response,
): Handler {
  return (request) => {
    try {
      const response = handler(request);
      return response instanceof Promise
        ? response.catch((error) => onError(error, request))
        : response;
    } catch (error) {
      return onError(error, request);
    }
  };
}

/**
 * Applies a function to the response to a request: at once, or later if the response is a promise.
 */
export function mapResponse(
  response: Response | Promise<Response>,
  request: Request,
  map: (response: Response, request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  return response instanceof Promise
    ? response.then((each) => map(each, request))
    : map(response, request);
}

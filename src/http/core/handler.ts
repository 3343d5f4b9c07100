import type { Request } from './request.ts';
import type { Response } from './response.ts';

/**
 * Answers requests.
 * @throws Problem to answer with an error; anything else that is thrown is a fault of the service.
 */
export type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Puts something around a handler: what it returns sees every request first and every response
 * last, be it a 404, a 405 or a 500.
 * @example const timed: Middleware = (next) => (request) => {
 *   const start = performance.now();
 *   return mapResponse(next(request), (response) => {
 *     record(request.route?.path, response.status, performance.now() - start);
 *     return response;
 *   });
 * };
 */
export type Middleware = (next: Handler) => Handler;

/** The response to what a handler or middleware throws. */
export type OnError = (error: unknown, request: Request) => Response;

/**
 * A handler with middleware around it, the first outermost. What any of them throws is a response
 * for those around it.
 */
export function compose(
  middleware: readonly Middleware[],
  handler: Handler,
  onError: OnError,
): Handler {
  return middleware.reduceRight((next, wrap) => guarded(wrap(next), onError), handler);
}

function guarded(handler: Handler, onError: OnError): Handler {
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

/** Applies a function to a response, at once unless the response is a promise. */
export function mapResponse(
  response: Response | Promise<Response>,
  map: (response: Response) => Response,
): Response | Promise<Response> {
  return response instanceof Promise ? response.then(map) : map(response);
}

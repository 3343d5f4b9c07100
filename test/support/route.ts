import type { Request, Route } from '../../src/http/core/request.ts';
import type { Response, Steps } from '../../src/http/core/response.ts';
import type { ByteString } from '../../src/json/byte-string.ts';

/** A JSON route for a test's own server. */
export function route(
  method: string,
  path: string,
  handle: (request: Request) => Response | Promise<Response>,
  more: Partial<Route> = {},
): Route {
  return { method, path, produces: ['application/json'], handle, ...more };
}

/** Content in the parts of an iterator, which is closed at its end or before. */
export function inSteps(parts: Iterator<ByteString | undefined, void>): Steps<ByteString> {
  return {
    next: () => parts.next(),
    close: () => {
      parts.return?.();
    },
  };
}

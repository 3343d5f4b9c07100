import type { Request, Route } from '../../src/http/core/request.ts';
import type { ContentSteps, Response } from '../../src/http/core/response.ts';
import { type ByteString, byteString } from '../../src/json/byte-string.ts';

/** A JSON route for a test's own server. */
export function route(
  method: string,
  path: string,
  handle: (request: Request) => Response | Promise<Response>,
  more: Partial<Route> = {},
): Route {
  return { method, path, produces: ['application/json'], handle, ...more };
}

/** Content in the parts of an iterator, which is closed if its end is not reached. */
export function inSteps(parts: Iterator<ByteString | undefined, void>): ContentSteps {
  return {
    next: () => {
      const { done, value } = parts.next();
      return done ? { done, value: byteString('') } : { done: false, value };
    },
    close: () => {
      parts.return?.();
    },
  };
}

import type { ContentParts } from '../../src/lib/http/core/long-content.ts';
import type { Request, Route } from '../../src/lib/http/core/request.ts';
import type { Response } from '../../src/lib/http/core/response.ts';
import { type ByteString, byteString } from '../../src/lib/json/byte-string.ts';

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
export function inParts(
  parts: Iterator<ByteString | undefined, ByteString | undefined>,
): ContentParts {
  return {
    next: () => {
      const { done = false, value } = parts.next();
      return done ? { done, value: value ?? byteString('') } : { done, value };
    },
    close: () => {
      parts.return?.();
    },
  };
}

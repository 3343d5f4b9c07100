import type { Request } from '../../src/http/core/request.ts';
import type { Chunks, Response } from '../../src/http/core/response.ts';
import type { Route } from '../../src/http/routing/route.ts';
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

/** Content in the chunks of an iterator. */
export function chunksOf(chunks: Iterator<ByteString, void>): Chunks {
  return {
    bytes: 0,
    next: () => {
      const { done, value } = chunks.next();
      return done ? undefined : value;
    },
    close: () => {
      chunks.return?.();
    },
  };
}

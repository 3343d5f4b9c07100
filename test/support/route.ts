import type { Request, Route } from '../../src/lib/http/core/request.ts';
import type { ContentSteps, Response } from '../../src/lib/http/core/response.ts';
import { type ByteString, byteString } from '../../src/lib/json/byte-string.ts';
import { NOT_YET } from '../../src/lib/steps.ts';

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
export function inSteps(
  parts: Iterator<ByteString | undefined, ByteString | undefined>,
): ContentSteps {
  const content: ContentSteps = {
    take: () => {},
    next: () => {
      const { done = false, value } = parts.next();
      if (!done && value === undefined) return NOT_YET;
      content.take(value ?? byteString(''));
      return { done: true, value: done };
    },
    close: () => {
      parts.return?.();
    },
  };
  return content;
}

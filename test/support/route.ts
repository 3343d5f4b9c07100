import type { Handler, Route } from '../../src/lib/http/messages/request.ts';
import type { ContentParts } from '../../src/lib/http/messages/response.ts';
import type { ByteString } from '../../src/lib/json/byte-string.ts';
import { NOT_YET } from '../../src/lib/steps.ts';

/** A JSON route for a test's own server. */
export function route(
  method: string,
  path: string,
  handle: Handler,
  more: Partial<Route> = {},
): Route {
  return { method, path, produces: ['application/json'], handle, ...more };
}

/**
 * Long content in the parts of an iterator, which is closed if its end is not reached. A part is
 * overwritten by the next one.
 */
export function inParts(
  texts: Iterator<ByteString | undefined, ByteString | undefined>,
): ContentParts {
  let buffer = Buffer.alloc(0);
  const parts = {
    part: buffer,
    isLast: false,
    isShort: true,
    next() {
      const { done = false, value } = texts.next();
      parts.isLast = done;
      if (value === undefined && !done) return NOT_YET;
      const { length } = value ?? '';
      parts.isShort &&= length <= 16 * 1024;
      if (length > buffer.length) buffer = Buffer.alloc(length);
      buffer.write(value ?? '', 'latin1');
      parts.part = buffer.subarray(0, length);
      return { done: true, value: undefined } as const;
    },
    restart: () => {},
    close: () => {
      texts.return?.();
    },
  };
  return parts;
}

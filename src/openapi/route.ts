import { type ByteString, byteString } from '../http/byte-string.ts';
import type { Route } from '../http/route.ts';
import type { Variant } from '../todo/fields.ts';
import { version } from '../version.ts';
import { openApiDocument } from './document.ts';

/** Serves the description of the API; it is made when it is first asked for. */
export function openApiRoute(variant: Variant): Route {
  let document: ByteString | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    handle: () => {
      document ??= byteString(JSON.stringify(openApiDocument(variant, version())));
      return { status: 200, body: document };
    },
  };
}

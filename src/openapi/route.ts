import { jsonResponse } from '../http/core/response.ts';
import { ABOUT, type DescribedRoute, describedRoute } from '../http/routing/operation.ts';
import { type ByteString, byteString } from '../json/byte-string.ts';
import { type ApiInfo, openApiDocument } from './document.ts';

/** Serves the description of the given routes and of itself, made on the first request. */
export function openApiRoute(info: ApiInfo, routes: readonly DescribedRoute[]): DescribedRoute {
  let document: ByteString | undefined;
  const route = describedRoute({
    method: 'GET',
    path: '/openapi.json',
    operation: {
      id: 'getApiDocument',
      summary: 'Get the API document',
      description: 'Derived from the routes of this service, so it is complete.',
      tag: ABOUT,
      ignoresAccept: true,
      responses: {
        200: {
          description: 'This document (OpenAPI 3.1).',
          mediaType: 'application/json',
          schema: {
            type: 'object',
            required: ['openapi', 'info', 'paths'],
            properties: {
              openapi: { type: 'string' },
              info: { type: 'object' },
              paths: { type: 'object' },
            },
          },
          headers: { 'Cache-Control': 'Revalidate before reuse.' },
        },
      },
    },
    handle: () => {
      document ??= byteString(JSON.stringify(openApiDocument(info, [...routes, route])));
      return jsonResponse(200, document, { 'Cache-Control': 'no-cache' });
    },
  });
  return route;
}

import {
  ABOUT,
  contentHash,
  type DescribedRoute,
  describedRoute,
  JSON_MEDIA_TYPE,
  jsonResponse,
  type Response,
  readConditions,
} from '../../lib/http/index.ts';
import { byteString, objectSchema } from '../../lib/json/index.ts';
import { type ApiInfo, openApiDocument } from './document.ts';
import type { OpenApiVersion } from './operation-object.ts';

const OBJECT = { type: 'object' };

/** A document has more members, which some generated clients refuse unless that is said. */
const DOCUMENT = {
  ...objectSchema({ openapi: { type: 'string' }, info: OBJECT, paths: OBJECT }),
  additionalProperties: true,
};

const FIELDS = {
  ETag: 'Changes if and only if the document changes.',
  'Cache-Control': 'Revalidate before reuse.',
};

/**
 * Serves the description of a service in OpenAPI 3.1, which nearly all tools read, and in 3.2.
 * @param routes all routes of the service, complete once it serves
 */
export function openApiRoutes(info: ApiInfo, routes: readonly DescribedRoute[]) {
  const openApiRoute = (path: string, id: string, version: OpenApiVersion): DescribedRoute => {
    let response: Response | undefined;
    const release = version.slice(0, 3);
    return describedRoute('GET', path, {
      id,
      summary: `Get the API document in OpenAPI ${release}`,
      description: 'Derived from the routes of this service, so it is complete.',
      tag: ABOUT,
      ignoresAccept: true,
      arguments: [readConditions],
      responses: {
        200: {
          description: `The API document (OpenAPI ${release}).`,
          content: { [JSON_MEDIA_TYPE]: DOCUMENT },
          headers: FIELDS,
        },
        304: { description: 'It has not changed.', headers: FIELDS },
      },
      handle: () => {
        if (response !== undefined) return response;
        const text = JSON.stringify(openApiDocument(info, routes, version));
        const headers = { ETag: `"${contentHash(text)}"`, 'Cache-Control': 'no-cache' };
        response = jsonResponse(200, byteString(text), headers);
        return response;
      },
    });
  };
  return [
    openApiRoute('/openapi.json', 'getApiDocument', '3.1.0'),
    openApiRoute('/openapi-3.2.json', 'getApiDocument32', '3.2.0'),
  ];
}

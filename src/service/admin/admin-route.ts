import { JSON_MEDIA_TYPE, type Request } from '../../lib/http/index.ts';
import type { NamedSchema } from '../../lib/json/index.ts';
import {
  type DescribedRoute,
  describedRoute,
  NO_STORE_FIELD,
  type Operation,
  type Tag,
} from '../operation.ts';
import { ADMIN } from '../reserved-paths.ts';

const TAG: Tag = { name: 'Admin', description: 'For test suites; they need the admin token.' };

/**
 * A route for test suites, which needs the admin token.
 * @param path the path below `/admin/`
 */
export function adminRoute(
  method: string,
  path: string,
  operation: Omit<Operation, 'tag' | 'needsToken'>,
): DescribedRoute {
  return describedRoute(method, `${ADMIN}/${path}`, { ...operation, tag: TAG, needsToken: true });
}

/** The responses and the handler of an operation that responds with 204 after `act`. */
export function noContentOperation(
  description: string,
  act: (request: Request) => void | Promise<void>,
): Pick<Operation, 'responses' | 'handle'> {
  return {
    responses: { 204: { description, headers: NO_STORE_FIELD } },
    handle: async (request) => {
      await act(request);
      return { status: 204 };
    },
  };
}

/** The responses and the handler of an operation that responds with 200 and JSON. */
export function jsonOperation(
  description: string,
  schema: NamedSchema,
  handle: Operation['handle'],
): Pick<Operation, 'responses' | 'handle'> {
  const content = { [JSON_MEDIA_TYPE]: schema };
  return { responses: { 200: { description, content, headers: NO_STORE_FIELD } }, handle };
}

import {
  fieldsOf,
  type Middleware,
  mapResponse,
  NO_STORE,
  Problem,
  withHeaders,
} from '../../lib/http/index.ts';
import { PROBLEM_TYPES, problemType } from '../problem-types.ts';

/** The problem of a request without the token. */
export const UNAUTHORIZED = problemType('unauthorized', 401, {
  'WWW-Authenticate': 'The required scheme.',
});

/**
 * Requires a bearer token (RFC 6750) for all paths with a prefix; keeps what needs it from other
 * origins, and from caches.
 */
export function bearer(prefix: string, token: string): Middleware {
  // Loaded only for a service with a token, because that takes as long as a tenth of the start.
  const { hash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token);
  const detail = `Paths below ${prefix} need "Authorization: Bearer" with the right token`;
  const headers = { 'WWW-Authenticate': 'Bearer' };
  const unauthorized = new Problem(UNAUTHORIZED, detail, { headers });
  return (next) => (request) => {
    if (!request.localPath.startsWith(prefix)) return next(request);
    const [field = '', ...others] = fieldsOf(request, 'authorization');
    const [, given = ''] = /^bearer +(\S+)$/i.exec(field) ?? [];
    const isRight = timingSafeEqual(digest(given), expected) && others.length === 0;
    const response = isRight ? next(request) : unauthorized.toResponse(request.path, PROBLEM_TYPES);
    return mapResponse(response, request, (each) => ({
      ...withHeaders(each, NO_STORE),
      isPrivate: true,
    }));
  };
}

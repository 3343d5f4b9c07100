import { Problem, type ProblemType } from '../../http/core/problem.ts';
import type { Middleware } from '../../http/core/request.ts';
import { mapResponse, withHeaders } from '../../http/core/response.ts';
import { NO_STORE } from '../../http/routing/response-fields.ts';

/** The characters of a token (RFC 6750, section 2.1). */
export const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** The request lacks the token. */
export const UNAUTHORIZED: ProblemType = {
  code: 'unauthorized',
  status: 401,
  title: 'Unauthorized',
  fields: { 'WWW-Authenticate': 'The required scheme.', 'Cache-Control': 'Not to be stored.' },
};

/** Everything below this path needs the token. */
export const ADMIN_PREFIX = '/admin/';

/** Keeps what needs the token from pages of other origins, and out of caches. */
export const hidden: Middleware = (next) => (request) => {
  if (!request.path.startsWith(ADMIN_PREFIX)) return next(request);
  return mapResponse(next(request), request, (response) => ({
    ...withHeaders(response, NO_STORE),
    isPrivate: true,
  }));
};

/** Requires a bearer token (RFC 6750), compared in constant time. */
export function bearer(token: string): Middleware {
  // Loaded only for a service with a token, because that takes as long as a tenth of the start.
  const { hash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token);
  return (next) => (request) => {
    if (!request.path.startsWith(ADMIN_PREFIX)) return next(request);
    const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const isOne = request.rawHeaders.filter(isAuthorization).length === 1;
    if (timingSafeEqual(digest(given), expected) && isOne) return next(request);
    const detail = `Paths below ${ADMIN_PREFIX} need "Authorization: Bearer" with the right token`;
    throw new Problem(UNAUTHORIZED, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}

/** Whether a name, not a value, of a raw header is `Authorization`. */
function isAuthorization(text: string, i: number): boolean {
  return i % 2 === 0 && text.toLowerCase() === 'authorization';
}

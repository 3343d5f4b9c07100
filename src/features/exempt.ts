import type { Request } from '../http/core/request.ts';

/** The paths of orchestrators, and those that change what the service does. */
const EXEMPT = ['/livez', '/readyz', '/metrics', '/admin'];

/** Whether what stands in the way of requests spares those for a path. */
export function isExempt(path: string): boolean {
  return EXEMPT.some((spared) => path === spared || path.startsWith(`${spared}/`));
}

/** Whether a browser asks whether a page may send another request. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

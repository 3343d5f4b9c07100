/** The paths of orchestrators, and those that change what the service does, as a pattern. */
export const EXEMPT_PATTERN = '^/(?:livez|readyz|metrics|admin)(?:/|$)';

const EXEMPT = new RegExp(EXEMPT_PATTERN);

/** Whether what stands in the way of requests spares those for a path. */
export function isExempt(path: string): boolean {
  return EXEMPT.test(path);
}

/** The paths of orchestrators, and those that change what the service does. */
const EXEMPT = ['/livez', '/readyz', '/metrics', '/admin'];

/** Whether what stands in the way of requests spares those for a path. */
export function isExempt(path: string): boolean {
  return EXEMPT.some((spared) => path === spared || path.startsWith(`${spared}/`));
}

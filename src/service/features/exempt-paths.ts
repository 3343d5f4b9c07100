/** Probe, metrics and admin paths. */
const EXEMPT = ['/livez', '/readyz', '/metrics', '/admin'];

/** Whether a path is exempt from faults, journal and resets. */
export function isExempt(path: string): boolean {
  return EXEMPT.some((exempt) => path === exempt || path.startsWith(`${exempt}/`));
}

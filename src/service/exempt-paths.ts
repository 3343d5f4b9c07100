/** The paths of probes, metrics and test suites, which faults, journal and resets leave alone. */
export const LIVEZ = '/livez';
export const READYZ = '/readyz';
export const METRICS = '/metrics';
export const ADMIN = '/admin';

const EXEMPT = new RegExp(`^(?:${[LIVEZ, READYZ, METRICS, ADMIN].join('|')})(?:/|$)`);

/** Whether a path is one of these, or below one. */
export function isExempt(path: string): boolean {
  return EXEMPT.test(path);
}

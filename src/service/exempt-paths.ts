import { isWithin } from '../lib/http/index.ts';

/** The paths of probes, metrics and test suites, which faults, journal and resets leave alone. */
export const LIVEZ = '/livez';
export const READYZ = '/readyz';
export const METRICS = '/metrics';
export const ADMIN = '/admin';

/** Whether a path is one of these, or below one. */
export function isExempt(path: string): boolean {
  return [LIVEZ, READYZ, METRICS, ADMIN].some((exempt) => isWithin(path, exempt));
}

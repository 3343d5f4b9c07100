/** The paths of probes, metrics and administration, which faults and the journal leave alone. */
export const LIVEZ = '/livez';
export const READYZ = '/readyz';
export const METRICS = '/metrics';
export const ADMIN = '/admin';

const EXEMPT = new RegExp(`^(?:${[LIVEZ, READYZ, METRICS, ADMIN].join('|')})(?:/|$)`);

/** Whether faults and the journal leave a path alone. */
export function isExempt(path: string): boolean {
  return EXEMPT.test(path);
}

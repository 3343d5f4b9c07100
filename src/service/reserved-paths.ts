/** The paths that are not about items. Faults and the journal leave them alone. */
export const LIVEZ = '/livez';
export const READYZ = '/readyz';
export const METRICS = '/metrics';
export const ADMIN = '/admin';

const RESERVED = new RegExp(`^(?:${[LIVEZ, READYZ, METRICS, ADMIN].join('|')})(?:/|$)`);

/** Whether faults and the journal leave a path alone. */
export function isReserved(path: string): boolean {
  return RESERVED.test(path);
}

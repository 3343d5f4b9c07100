import { Problem } from './problem.ts';

/** Long enough for any overload here to have passed. */
const RETRY_AFTER_S = 1;

/** The problem of a request that there is no capacity for now (RFC 9110, section 15.6.4). */
export function overloaded(what: string): Problem {
  return new Problem('overloaded', `${what}; try again later`, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

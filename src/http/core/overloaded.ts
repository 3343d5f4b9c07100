import { Problem } from './problem.ts';

/** Whatever is overloaded has room again long before. */
const RETRY_AFTER_S = 1;

/** The response to a request that there is no room for now (RFC 9110, section 15.6.4). */
export function overloaded(what: string): Problem {
  return new Problem('overloaded', `${what}; try again later`, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

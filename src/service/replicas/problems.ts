import { Problem } from '../../lib/http/index.ts';
import { problemType } from '../problem-types.ts';

const RETRY_AFTER = { 'Retry-After': 'When to try again, in seconds.' };

export const STORE_UNAVAILABLE = problemType('store-unavailable', 503, RETRY_AFTER);

export const OUTCOME_UNKNOWN = problemType('outcome-unknown', 503, RETRY_AFTER);

/** A bug of this service interrupted a write after it was sent to the store. */
export const INTERRUPTED_WRITE = problemType('outcome-unknown', 500);

const UNCERTAINTIES = {
  'store-unavailable': 'The store is not available, and nothing was changed',
  'outcome-unknown':
    'The store did not confirm whether the change was made; check before you try again',
};

/** The problem of a request that the store could not serve, or whose outcome is unknown. */
export function storeProblem(code: keyof typeof UNCERTAINTIES, why: string): Problem {
  const type = code === 'store-unavailable' ? STORE_UNAVAILABLE : OUTCOME_UNKNOWN;
  const headers = { 'Retry-After': '1' };
  return new Problem(type, `${UNCERTAINTIES[code]} (${why})`, { headers });
}

/** The problem of a write that a bug of this service interrupted. @param more ends its detail */
export function interruptedWrite(more = ''): Problem {
  const what = 'The service failed after it had sent the change to the store, which may be made';
  const detail = `${what} or not; check before you try again. Its log says why${more}`;
  return new Problem(INTERRUPTED_WRITE, detail);
}

import { Problem } from '../../lib/http/index.ts';
import { IdsExhaustedError, TableFullError } from '../../lib/table/index.ts';
import { problemType } from '../problem-types.ts';

/** The store is full (api.md: "Codes"). */
export const STORE_FULL = problemType('store-full', 507);

export const IDS_EXHAUSTED = problemType('ids-exhausted', 507);

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

/** The problem of an error of a full table; undefined for other errors. @param advice ends it */
export function fullProblem(
  error: unknown,
  advice = 'delete some items first',
): Problem | undefined {
  if (error instanceof TableFullError) {
    const { bound, limit } = error;
    const most = `${limit} ${bound === 'rows' ? 'items' : 'bytes'}`;
    return new Problem(STORE_FULL, `The store holds at most ${most}; ${advice}`);
  }
  if (error instanceof IdsExhaustedError) {
    const detail = `Too few ids are left, the last is ${error.last}; reset or restart the service`;
    return new Problem(IDS_EXHAUSTED, detail);
  }
  return undefined;
}

/** Runs work that stores items. @throws Problem `store-full` */
export function mapFullError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fullProblem(error) ?? error;
  }
}

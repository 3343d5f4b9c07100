import { Problem, type ProblemType } from '../../lib/http/index.ts';
import type { StoreError } from '../../lib/replica/index.ts';
import { problemType } from '../problem-types.ts';

export const STORE_UNAVAILABLE = problemType('store-unavailable');

export const OUTCOME_UNKNOWN = problemType('outcome-unknown');

/** The problem of a request that the store could not serve. */
export function unavailable(error: Reason): Problem {
  return storeProblem(
    STORE_UNAVAILABLE,
    'The store is not available, and nothing was changed',
    error,
  );
}

/** The problem of a write whose outcome is unknown. */
export function outcomeUnknown(error: Reason): Problem {
  const sentence =
    'The store did not confirm whether the change was made; check before you try again';
  return storeProblem(OUTCOME_UNKNOWN, sentence, error);
}

/** The problem of a write in several commits that failed after its first one may have been made. */
export function partialWrite(error: Reason): Problem {
  const advice = 'repeat the request (with If-Match, after reading the tag again)';
  return storeProblem(OUTCOME_UNKNOWN, `A part of the items may be done; ${advice}`, error);
}

/** An error whose message is the reason why the store has failed. */
type Reason = Pick<StoreError, 'message'>;

function storeProblem(type: ProblemType, sentence: string, { message }: Reason): Problem {
  return new Problem(type, `${sentence} (${message})`, { headers: { 'Retry-After': '1' } });
}

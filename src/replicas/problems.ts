import type { Problem } from '../lib/http/index.ts';
import { type ServiceProblemCode, serviceProblem } from '../service/problem-types.ts';
import type { StoreError } from './replica/index.ts';

/** The problem of a request that the store could not serve. */
export function unavailable(error: Reason): Problem {
  const sentence = 'The store is not available, and nothing was changed';
  return storeProblem('store-unavailable', sentence, error);
}

/** The problem of a write whose outcome is unknown. */
export function outcomeUnknown(error: Reason): Problem {
  const sentence =
    'The store did not confirm whether the change was made; check before you try again';
  return storeProblem('outcome-unknown', sentence, error);
}

/** The problem of a write in several commits that failed after its first one may have been made. */
export function partialWrite(error: Reason): Problem {
  const advice = 'repeat the request (with If-Match, after reading the tag again)';
  return storeProblem('outcome-unknown', `A part of the items may be done; ${advice}`, error);
}

/** An error whose message is the reason why the store has failed. */
type Reason = Pick<StoreError, 'message'>;

function storeProblem(code: ServiceProblemCode, sentence: string, { message }: Reason): Problem {
  return serviceProblem(code, `${sentence} (${message})`, { headers: { 'Retry-After': '1' } });
}

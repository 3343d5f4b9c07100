import { Problem } from '../../lib/http/index.ts';
import { IdsExhaustedError, TableFullError } from '../../lib/table/index.ts';
import { problemType } from '../problem-types.ts';

/** The store is full (api.md: "Codes"). */
export const STORE_FULL = problemType('store-full', 507);

export const IDS_EXHAUSTED = problemType('ids-exhausted', 507);

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

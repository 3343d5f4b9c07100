import { Problem } from '../../lib/http/index.ts';
import { IdsExhaustedError, TableFullError } from '../../lib/table/index.ts';
import { problemType } from '../problem-types.ts';

/** The store is full (api.md: "Codes"). */
export const STORE_FULL = problemType('store-full', 507);

export const IDS_EXHAUSTED = problemType('ids-exhausted', 507);

/** What to do if the store has too many items, or too few ids are left. */
const ADVICE = { items: 'delete some items first', ids: 'reset or restart the service' };

/** The problem of an error of a full table; undefined for other errors. @param advice ends it */
export function fullProblem(
  error: unknown,
  advice: Partial<typeof ADVICE> = {},
): Problem | undefined {
  const { items, ids } = { ...ADVICE, ...advice };
  if (error instanceof TableFullError) {
    const { bound, limit } = error;
    const most = `${limit} ${bound === 'rows' ? 'items' : 'bytes'}`;
    return new Problem(STORE_FULL, `The store holds at most ${most}; ${items}`);
  }
  if (error instanceof IdsExhaustedError) {
    const detail = `Too few ids are left, the last is ${error.last}; ${ids}`;
    return new Problem(IDS_EXHAUSTED, detail);
  }
  return undefined;
}

/** Runs work that stores items. @throws Problem `store-full` or `ids-exhausted` */
export function mapFullError<T>(work: () => T, advice?: Partial<typeof ADVICE>): T {
  try {
    return work();
  } catch (error) {
    throw fullProblem(error, advice) ?? error;
  }
}

import type { Problem } from '../../lib/http/index.ts';
import { IdsExhaustedError, TableFullError } from '../../lib/table/index.ts';
import { serviceProblem } from '../problem-types.ts';

/**
 * The limit that the table of a list has reached, with its setting; undefined for other errors. The
 * share is all of `MAX_BYTES` if there are no lists with names.
 */
export function limitOf(error: unknown): string | undefined {
  if (!(error instanceof TableFullError)) return undefined;
  const { bound, limit } = error;
  if (bound !== 'rows') return `${limit} bytes of items (its share of MAX_BYTES)`;
  return limit === 1 ? 'one item (MAX_ROWS)' : `${limit} items (MAX_ROWS)`;
}

/**
 * The problem of an error of a full table; undefined for other errors.
 * @param advice the end of its detail
 */
export function storeFullProblem(
  error: unknown,
  advice = 'delete some items first',
): Problem | undefined {
  const limit = limitOf(error);
  if (limit !== undefined) {
    return serviceProblem('store-full', `The list holds at most ${limit}; ${advice}`, {
      shortage: 'items',
    });
  }
  if (error instanceof IdsExhaustedError) {
    const detail = `Too few ids are left for this request, the largest is ${error.last}; reset the service`;
    return serviceProblem('ids-exhausted', detail);
  }
  return undefined;
}

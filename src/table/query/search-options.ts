import { ConditionError } from '../errors.ts';
import type { Layout } from '../schema/layout.ts';

/** One column to order by. */
export interface Order<Name extends string = string> {
  readonly column: Name;
  /** `asc` unless said otherwise. */
  readonly direction?: 'asc' | 'desc';
  /** Where nulls go; unless said otherwise they are the smallest values, as in SQLite. */
  readonly nulls?: 'first' | 'last';
}

/** In what order, and how many of the rows found. */
export interface SearchOptions<Name extends string = string> {
  /** The first column decides, the next one where it ties, and in the end the id, ascending. */
  readonly orderBy?: readonly Order<Name>[];
  readonly limit?: number;
  readonly offset?: number;
  readonly total?: boolean;
}

/** Options in the form the engine reads. */
export interface Window {
  readonly orderBy: readonly Required<Order>[];
  readonly limit: number;
  readonly offset: number;
}

/**
 * Checks options, which may come from outside.
 *
 * @throws ConditionError
 */
export function windowOf(layout: Layout, options: SearchOptions): Window {
  return {
    orderBy: effective(layout, options.orderBy ?? []),
    limit: countOf('limit', options.limit ?? Number.POSITIVE_INFINITY),
    offset: countOf('offset', options.offset ?? 0),
  };
}

/** Without what cannot change the order: whatever comes after the id, and the id itself, ascending. */
function effective(layout: Layout, orderBy: readonly Order[]): Required<Order>[] {
  const orders = orderBy.map((order) => orderOf(layout, order));
  const id = orders.findIndex((order) => order.column === layout.identity.column);
  if (id < 0) return orders;
  return orders.slice(0, orders[id]?.direction === 'asc' ? id : id + 1);
}

function orderOf(layout: Layout, order: Order): Required<Order> {
  const { column, direction = 'asc', nulls = direction === 'asc' ? 'first' : 'last' } = order;
  if (!layout.columns.has(column)) {
    throw new ConditionError(`there is no column ${JSON.stringify(column)} to order by`);
  }
  if (direction !== 'asc' && direction !== 'desc') {
    throw new ConditionError('a direction is "asc" or "desc"');
  }
  if (nulls !== 'first' && nulls !== 'last') {
    throw new ConditionError('nulls are placed "first" or "last"');
  }
  return { column, direction, nulls };
}

function countOf(name: string, count: number): number {
  if (count === Number.POSITIVE_INFINITY || (Number.isSafeInteger(count) && count >= 0)) {
    return count;
  }
  throw new ConditionError(`"${name}" must be an integer, zero or more`);
}

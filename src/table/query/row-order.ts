import type { Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/compare.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { Order } from './search-options.ts';

/** Returns a comparator of rows. Rows that tie are in ascending order of id. */
export function rowComparator(
  layout: Layout,
  orderBy: readonly Required<Order>[],
): Compare<StoredRow> {
  const byId = { column: layout.identity.column, direction: 'asc', nulls: 'first' } as const;
  const comparators = [...orderBy, byId].map((order) => {
    const compare = valueComparator(layout, order);
    return { column: order.column, compare };
  });
  return (a, b) => {
    for (const { column, compare } of comparators) {
      const result = compare(a[column] ?? null, b[column] ?? null);
      if (result !== 0) return result;
    }
    return 0;
  };
}

/** Returns a comparator of the values of a column. */
export function valueComparator(
  layout: Layout,
  { column, direction, nulls }: Required<Order>,
): Compare<Value | null> {
  const compare = comparatorOf(layout.columns.get(column)?.kind ?? 'text');
  const sign = direction === 'asc' ? 1 : -1;
  const nullRank = nulls === 'first' ? -1 : 1;
  return (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? nullRank : -nullRank;
    return sign * compare(a, b);
  };
}

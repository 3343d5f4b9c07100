import { comparatorOf } from '../condition/value-predicate.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { Compare } from './run-heap.ts';
import type { Order } from './search-options.ts';

/** Returns a comparator of rows. Rows that tie are in ascending order of id. */
export function rowComparator(
  layout: Layout,
  orderBy: readonly Required<Order>[],
): Compare<StoredRow> {
  const byId = { column: layout.identity.column, direction: 'asc', nulls: 'first' } as const;
  const comparators = [...orderBy, byId].map((order) => columnComparator(layout, order));
  return (a, b) => {
    for (const compare of comparators) {
      const result = compare(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function columnComparator(
  layout: Layout,
  { column, direction, nulls }: Required<Order>,
): Compare<StoredRow> {
  const compare = comparatorOf(layout.columns.get(column)?.kind ?? 'text');
  const sign = direction === 'asc' ? 1 : -1;
  const nullRank = nulls === 'first' ? -1 : 1;
  return (a, b) => {
    const x = a[column] ?? null;
    const y = b[column] ?? null;
    if (x === null || y === null) return x === y ? 0 : x === null ? nullRank : -nullRank;
    return sign * compare(x, y);
  };
}

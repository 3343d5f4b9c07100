import type { LeafList } from '../rows/open-snapshots.ts';
import type { ColumnMasks } from '../rows/value-masks.ts';
import type { Zone } from '../rows/zone.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { type Compare, comparatorOf, nullsFirst } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { compareIgnoringCase } from '../text/code-points.ts';
import type { Order } from './search-options.ts';

/** The order of rows by a column. */
export class ColumnOrder {
  readonly column: string;
  readonly isReversed: boolean;
  readonly #compare: Compare<Value | null>;

  constructor(schema: ResolvedSchema, order: Required<Order>) {
    const { column, direction, ignoreCase } = order;
    this.column = column;
    this.isReversed = direction === 'desc';
    this.#compare = ignoreCase
      ? nullsFirst((a, b) => compareIgnoringCase(String(a), String(b)))
      : comparatorOf(columnOf(schema, column).kind);
  }

  compare(a: Value | null, b: Value | null): number {
    const sign = this.#compare(a, b);
    return this.isReversed ? -sign : sign;
  }

  /** Returns the masks of values in this order. */
  masksOf({ values, masks }: ColumnMasks): readonly number[] {
    const order = values.map((_, i) => i);
    order.sort((a, b) => this.compare(values[a] ?? null, values[b] ?? null));
    return order.map((i) => masks[i] ?? 0);
  }
}

/** True if the values of an ordered column never descend with the ids. */
export function followsIds({ column }: ColumnOrder, { schema, leaves }: LeafList): boolean {
  const index = schema.ordered.findIndex((each) => each.column === column);
  let last: Zone | undefined;
  for (const leaf of leaves) {
    const zone = leaf.zones[index];
    if (!zone?.isAscending) return false;
    if (last && zone.column.compare(zone.least, last.greatest) < 0) return false;
    last = zone;
  }
  return index >= 0;
}

/** Returns a comparator of rows. Rows that tie are in ascending order of id. */
export function rowComparator(
  schema: ResolvedSchema,
  orderBy: readonly Required<Order>[],
): Compare<StoredRow> {
  const { column } = schema.identity;
  const byId = { column, direction: 'asc', ignoreCase: false } as const;
  const orders = [...orderBy, byId].map((order) => new ColumnOrder(schema, order));
  return (a, b) => {
    for (const order of orders) {
      const result = order.compare(a[order.column] ?? null, b[order.column] ?? null);
      if (result !== 0) return result;
    }
    return 0;
  };
}

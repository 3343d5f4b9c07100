import { type Mask, positionsIn } from '../bits.ts';
import type { OrderedPositions } from '../pages/ordered-positions.ts';
import type { Page } from '../pages/page.ts';
import type { ValueBitmaps } from '../pages/value-bitmaps.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/kinds.ts';
import type { Layout } from '../schema/layout.ts';
import type { Order } from './search-options.ts';

/** The rows of pages in the order of a column. Rows with one value are in order of their ids. */
export class ColumnOrder {
  readonly column: string;
  readonly compare: Compare<Value | null>;
  readonly #isReversed: boolean;
  readonly #nullsFirst: boolean;
  /** Which of the indexes of a page is that of the column: of its orders, or of its bitmaps. */
  readonly #index: number;
  readonly #isOrdered: boolean;

  constructor(layout: Layout, order: Required<Order>) {
    this.column = order.column;
    this.compare = valueComparator(layout, order);
    this.#isReversed = order.direction === 'desc';
    this.#nullsFirst = order.nulls === 'first';
    const { index } = layout.columns.get(order.column) ?? {};
    this.#isOrdered = index === 'ordered';
    const indexed = this.#isOrdered ? layout.ordered : layout.bitmaps;
    this.#index = indexed.findIndex(({ column }) => column === order.column);
  }

  /** Whether pages know the order. */
  get isKnown(): boolean {
    return this.#index >= 0;
  }

  /** Returns a value that no row of a page precedes; undefined if that is not known. */
  first(page: Page): Value | null | undefined {
    return this.#end(page, true);
  }

  /** Returns a value that no row of a page follows; undefined if that is not known. */
  last(page: Page): Value | null | undefined {
    return this.#end(page, false);
  }

  /** Lists the positions of a page in order: those of a mask, and perhaps others. */
  positions(page: Page, wanted: Mask): Iterator<number, void> {
    const ordered = this.#isOrdered && page.ordered[this.#index];
    if (ordered) return (this.#isReversed ? descending : ascending)(ordered, this.#nullsFirst);
    const bitmaps = page.bitmaps[this.#index];
    return bitmaps?.isExact ? this.#byValue(bitmaps, wanted) : this.#sorted(page).values();
  }

  *#byValue(bitmaps: ValueBitmaps, wanted: Mask): Generator<number, void> {
    const { nulls, values } = bitmaps;
    if (this.#nullsFirst && nulls > 0) yield* bitmaps.positions(0, wanted);
    for (let i = nulls; i < values.length; i++) {
      yield* bitmaps.positions(this.#isReversed ? values.length - 1 - i + nulls : i, wanted);
    }
    if (!this.#nullsFirst && nulls > 0) yield* bitmaps.positions(0, wanted);
  }

  #end(page: Page, isFirst: boolean): Value | null | undefined {
    const values = (this.#isOrdered ? page.ordered : page.bitmaps)[this.#index];
    if (!values?.isExact) return undefined;
    if (values.nulls > 0 && this.#nullsFirst === isFirst) return null;
    return this.#isReversed === isFirst ? values.greatest : values.least;
  }

  #sorted(page: Page): readonly number[] {
    const valueAt = (at: number) => page.rows[at]?.[this.column] ?? null;
    const positions = positionsIn(page.live, page.words);
    return positions.sort((a, b) => this.compare(valueAt(a), valueAt(b)) || a - b);
  }
}

function* ascending(ordered: OrderedPositions, nullsFirst: boolean): Generator<number, void> {
  const { nulls, length } = ordered;
  const from = nullsFirst ? 0 : nulls;
  for (let i = from; i < length; i++) yield ordered.at(i);
  for (let i = 0; i < from; i++) yield ordered.at(i);
}

/** Goes backwards from value to value, but forwards among the rows with one value. */
function* descending(ordered: OrderedPositions, nullsFirst: boolean): Generator<number, void> {
  const from = nullsFirst ? ordered.nulls : 0;
  for (let i = 0; i < from; i++) yield ordered.at(i);
  for (let end = ordered.length; end > from; ) {
    const value = ordered.valueAt(end - 1);
    const isSingle = end - 1 === from || ordered.valueAt(end - 2) !== value;
    const start = isSingle ? end - 1 : ordered.indexFrom(value, true);
    for (let i = start; i < end; i++) yield ordered.at(i);
    end = start;
  }
}

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
function valueComparator(
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

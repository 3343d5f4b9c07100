import { type Mask, positionsIn } from '../bits.ts';
import type { OrderedPositions } from '../pages/ordered-positions.ts';
import type { Page } from '../pages/page.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/compare.ts';
import type { Layout } from '../schema/layout.ts';
import type { Order } from './search-options.ts';

/** The rows of pages in the order of a column. Rows with one value are in order of their ids. */
export class ColumnOrder {
  readonly column: string;
  readonly compare: Compare<Value | null>;
  readonly #isReversed: boolean;
  readonly #nullsFirst: boolean;
  /** Which of the indexes of a page is that of the column. */
  readonly #ordered: number;
  readonly #bitmaps: number;

  constructor(layout: Layout, order: Required<Order>) {
    this.column = order.column;
    this.compare = valueComparator(layout, order);
    this.#isReversed = order.direction === 'desc';
    this.#nullsFirst = order.nulls === 'first';
    this.#ordered = layout.ordered.findIndex(({ column }) => column === order.column);
    this.#bitmaps = layout.bitmaps.findIndex(({ column }) => column === order.column);
  }

  /** Whether pages know the order. */
  get isKnown(): boolean {
    return this.#ordered >= 0 || this.#bitmaps >= 0;
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
  *positions(page: Page, wanted: Mask): Generator<number, void> {
    const ordered = page.ordered[this.#ordered];
    const bitmaps = page.bitmaps[this.#bitmaps];
    if (ordered) {
      const { nulls, length } = ordered;
      if (this.#nullsFirst) yield* listed(ordered, 0, nulls);
      yield* this.#isReversed ? reversed(ordered, nulls) : listed(ordered, nulls, length);
      if (!this.#nullsFirst) yield* listed(ordered, 0, nulls);
    } else if (bitmaps?.isExact) {
      for (const value of bitmaps.values.toSorted(this.compare)) {
        const mask = bitmaps.intersection(wanted, bitmaps.values.indexOf(value));
        yield* positionsIn(mask, page.words);
      }
    } else yield* this.#sorted(page);
  }

  #end(page: Page, isFirst: boolean): Value | null | undefined {
    const bitmaps = page.bitmaps[this.#bitmaps];
    const values = page.ordered[this.#ordered] ?? (bitmaps?.isExact ? bitmaps : undefined);
    if (!values) return undefined;
    if (values.nulls > 0 && this.#nullsFirst === isFirst) return null;
    return this.#isReversed === isFirst ? values.greatest : values.least;
  }

  #sorted(page: Page): readonly number[] {
    const valueAt = (at: number) => page.rows[at]?.[this.column] ?? null;
    const positions = positionsIn(page.live, page.words);
    return positions.sort((a, b) => this.compare(valueAt(a), valueAt(b)) || a - b);
  }
}

function* listed(ordered: OrderedPositions, from: number, to: number): Generator<number, void> {
  for (let i = from; i < to; i++) yield ordered.at(i);
}

/** Goes backwards from value to value, but forwards among the rows with one value. */
function* reversed(ordered: OrderedPositions, from: number): Generator<number, void> {
  for (let end = ordered.length; end > from; ) {
    const value = ordered.valueAt(end - 1);
    const isSingle = end - 1 === from || ordered.valueAt(end - 2) !== value;
    const start = isSingle ? end - 1 : ordered.indexFrom(value, true);
    yield* listed(ordered, start, end);
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

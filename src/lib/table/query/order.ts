import type { Mask } from '../bits.ts';
import type { OrderedPositions } from '../pages/ordered-positions.ts';
import type { Page } from '../pages/page.ts';
import type { PageStart, Pages } from '../pages/page-list.ts';
import type { ValueBitmaps } from '../pages/value-bitmaps.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { compareIgnoringCase } from '../text/code-points.ts';
import type { Order } from './search-options.ts';

/** Returns the next position with each call, and -1 after the last one. */
export type Positions = () => number;

/** Where a row is in the order of a column. */
type Place = Pick<PageStart, 'value' | 'slot'>;

/** The rows of pages in the order of a column. Rows with one value are in order of their ids. */
export class ColumnOrder {
  readonly column: string;
  readonly #compare: Compare<Value>;
  readonly #isReversed: boolean;
  readonly #nullsFirst: boolean;
  /** Which of the indexes of a page is that of the column: of its orders, or of its bitmaps. */
  readonly #index: number;
  readonly #isOrdered: boolean;

  constructor(schema: ResolvedSchema, order: Required<Order>) {
    const { column, direction, nulls, ignoreCase } = order;
    const { index, kind } = columnOf(schema, column);
    this.column = column;
    this.#compare = ignoreCase
      ? (a, b) => compareIgnoringCase(String(a), String(b))
      : comparatorOf(kind);
    this.#isReversed = direction === 'desc';
    this.#nullsFirst = nulls === 'first';
    this.#isOrdered = index === 'ordered' && !ignoreCase;
    const indexed = this.#isOrdered ? schema.ordered : schema.bitmaps;
    // No page knows an order that ignores case.
    this.#index = ignoreCase ? -1 : indexed.findIndex((each) => each.column === column);
  }

  compare(a: Value | null, b: Value | null): number {
    if (a === null || b === null) return a === b ? 0 : (a === null) === this.#nullsFirst ? -1 : 1;
    return this.#isReversed ? -this.#compare(a, b) : this.#compare(a, b);
  }

  /** Compares the places of two rows: their values, then their slots. */
  comparePlaces(a: Place, b: Place): number {
    return this.compare(a.value, b.value) || a.slot - b.slot;
  }

  /** Returns where pages start, in order; undefined if one does not know the order of its rows. */
  startsOf({ pages, starts }: Pages): readonly PageStart[] | undefined {
    // A number is looked up sooner than a text, which must be hashed.
    const flags =
      4 * Number(this.#isOrdered) + 2 * Number(this.#isReversed) + Number(this.#nullsFirst);
    const key = 8 * this.#index + flags;
    if (!starts.has(key)) starts.set(key, this.#isKnownBy(pages) ? this.#sorted(pages) : undefined);
    return starts.get(key);
  }

  /** Whether all rows of a page come before two places. */
  endsBefore(page: Page, ...places: readonly (Place | undefined)[]): boolean {
    const last = { value: this.#endValue(page, 'last'), slot: page.slotAt(page.end - 1) };
    return places.every((place) => !place || this.comparePlaces(last, place) < 0);
  }

  /** Lists the positions of a page in order: those of a mask, and perhaps others. */
  positions(page: Page, wanted: Mask): Positions {
    const ordered = this.#isOrdered && page.ordered[this.#index];
    if (ordered) return (this.#isReversed ? descending : ascending)(ordered, this.#nullsFirst);
    const bitmaps = page.bitmaps[this.#index];
    return bitmaps ? this.#byValue(bitmaps, wanted) : () => -1;
  }

  #isKnownBy(pages: readonly Page[]): boolean {
    return this.#isOrdered || pages.every(({ bitmaps }) => bitmaps[this.#index]?.isExact);
  }

  #sorted(pages: readonly Page[]): readonly PageStart[] {
    return pages
      .map((page) => ({ page, value: this.#endValue(page, 'first'), slot: page.slotAt(0) }))
      .sort((a, b) => this.comparePlaces(a, b));
  }

  /** Returns the value of the first row of a page, or of the last one, deleted ones included. */
  #endValue(page: Page, which: 'first' | 'last'): Value | null {
    const values = (this.#isOrdered ? page.ordered : page.bitmaps)[this.#index];
    const isFirst = which === 'first';
    if (!values || (values.nulls > 0 && this.#nullsFirst === isFirst)) return null;
    return this.#isReversed === isFirst ? values.greatest : values.least;
  }

  #byValue(bitmaps: ValueBitmaps, wanted: Mask): Positions {
    const { nulls, values } = bitmaps;
    // Null has the index 0, if any row has it, and comes first or last in either direction.
    let [i, at] = [this.#nullsFirst ? 0 : nulls, -1];
    const end = i + values.length;
    return () => {
      for (; i < end; i++) {
        const index = i % values.length;
        const isBackwards = this.#isReversed && index >= nulls;
        const value = isBackwards ? values.length - 1 + nulls - index : index;
        at = bitmaps.next(value, wanted, at + 1);
        if (at >= 0) return at;
      }
      return -1;
    };
  }
}

function ascending(ordered: OrderedPositions, nullsFirst: boolean): Positions {
  const { nulls, length } = ordered;
  let i = nullsFirst ? 0 : nulls;
  const end = i + length;
  return () => (i < end ? ordered.at(i++ % length) : -1);
}

/** Goes backwards from value to value, but forwards among the rows with one value. */
function descending(ordered: OrderedPositions, nullsFirst: boolean): Positions {
  const from = nullsFirst ? ordered.nulls : 0;
  let [i, end] = [0, from];
  let start = ordered.length;
  return () => {
    if (i === end) {
      if (start === from) return -1;
      end = start;
      const value = ordered.valueAt(end - 1);
      const isSingle = end - 1 === from || ordered.valueAt(end - 2) !== value;
      start = isSingle ? end - 1 : ordered.indexFrom(value, true);
      i = start;
    }
    return ordered.at(i++);
  };
}

/** Returns a comparator of rows. Rows that tie are in ascending order of id. */
export function rowComparator(
  schema: ResolvedSchema,
  orderBy: readonly Required<Order>[],
): Compare<StoredRow> {
  const { column } = schema.identity;
  const byId = { column, direction: 'asc', nulls: 'first', ignoreCase: false } as const;
  const orders = [...orderBy, byId].map((order) => new ColumnOrder(schema, order));
  return (a, b) => {
    for (const order of orders) {
      const result = order.compare(a[order.column] ?? null, b[order.column] ?? null);
      if (result !== 0) return result;
    }
    return 0;
  };
}

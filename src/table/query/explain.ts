import type { Pages } from '../pages/page-list.ts';
import type { Layout } from '../schema/layout.ts';
import type { Criteria } from './criteria.ts';
import type { Leaf } from './filter.ts';
import { Pace } from './pace.ts';
import { Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';

/** How a query would run. */
export interface Explanation {
  /** Each condition on a column, and what finds its rows. */
  readonly conditions: readonly Leaf[];
  /** The number of pages. */
  readonly pages: number;
  /** The number of pages that have candidates. */
  readonly pagesRead: number;
  /** The number of rows. */
  readonly rows: number;
  /** The number of rows that may match. */
  readonly candidates: number;
  /** The number of candidates that have to be tested. */
  readonly tested: number;
  /** What gives the order: the ids, or a sort. */
  readonly order: 'by id' | 'sorted';
}

/** Explains a query: finds the candidates, and tests none of them. */
export function explanationOf(
  { identity }: Layout,
  criteria: Criteria,
  { orderBy: [first] }: CheckedOptions,
  pages: Pages,
): Explanation {
  const scan = new Scan(criteria, Pace.endless());
  let [pagesRead, candidates, tested] = [0, 0, 0];
  for (const page of pages.pages) {
    const isExact = scan.begin(page);
    const count = scan.count(page);
    if (count > 0) pagesRead++;
    candidates += count;
    if (!isExact) tested += count;
  }
  return {
    conditions: criteria.leaves,
    pages: pages.pages.length,
    pagesRead,
    rows: pages.size,
    candidates,
    tested,
    order: first && first.column !== identity.column ? 'sorted' : 'by id',
  };
}

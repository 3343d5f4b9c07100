import type { Pages } from '../pages/page-list.ts';
import { conditionText } from './condition-text.ts';
import type { Leaf, Means } from './filter.ts';
import { Pace } from './pace.ts';
import { type Criteria, Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';

/** How a query would run. */
export interface Explanation {
  /** Each condition on a column, and what finds its rows. */
  readonly conditions: readonly { readonly condition: string; readonly means: Means }[];
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
  { pages, ...criteria }: Criteria & { readonly pages: Pages },
  leaves: readonly Leaf[],
  sortsBy: CheckedOptions['orderBy'][number] | undefined,
  idColumn: string,
): Explanation {
  const scan = new Scan(criteria, Pace.endless());
  let [pagesRead, candidates, tested] = [0, 0, 0];
  for (const page of scan.pagesOf(pages)) {
    const isExact = scan.begin(page);
    const count = scan.count(page);
    if (count > 0) pagesRead++;
    candidates += count;
    if (!isExact) tested += count;
  }
  return {
    conditions: leaves.map(({ condition, means }) => {
      return { condition: conditionText(condition), means };
    }),
    pages: pages.pages.length,
    pagesRead,
    rows: pages.size,
    candidates,
    tested,
    order: sortsBy && sortsBy.column !== idColumn ? 'sorted' : 'by id',
  };
}

/** Formats an explanation as lines of text. */
export function explanationText(explanation: Explanation): string {
  const { conditions, pages, pagesRead, rows, candidates, tested, order } = explanation;
  return [
    ...conditions.map(({ condition, means }) => `${condition}: ${means}`),
    `pages: ${pagesRead} of ${pages}`,
    `candidates: ${candidates} of ${rows} rows, ${tested} of them tested`,
    `order: ${order}`,
  ].join('\n');
}

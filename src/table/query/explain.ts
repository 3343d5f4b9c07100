import { type Condition, operandsOf } from '../condition/condition.ts';
import type { Pages } from '../pages/page-list.ts';
import type { Value } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import type { Criteria } from './criteria.ts';
import type { Means } from './filter.ts';
import { Pace } from './pace.ts';
import { Scan } from './scan.ts';
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
  { identity }: Layout,
  criteria: Criteria,
  { orderBy: [first] }: CheckedOptions,
  pages: Pages,
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
    conditions: criteria.leaves.map(({ condition, means }) => {
      return { condition: conditionText(condition), means };
    }),
    pages: pages.pages.length,
    pagesRead,
    rows: pages.size,
    candidates,
    tested,
    order: first && first.column !== identity.column ? 'sorted' : 'by id',
  };
}

/** Formats a condition as one would write it in code. */
export function conditionText(condition: Condition): string {
  switch (condition.op) {
    case 'and':
    case 'or':
      return `${condition.op}(${condition.conditions.map(conditionText).join(', ')})`;
    case 'not':
      return `not(${conditionText(condition.condition)})`;
    default: {
      const { op, column } = condition;
      const operands = operandsOf(condition).map(valueText).join(', ');
      return `${column}.${op}(${'values' in condition ? `[${operands}]` : operands})`;
    }
  }
}

function valueText(value: Value): string {
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(value);
}

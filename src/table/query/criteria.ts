import { isEmpty, type Mask, WORD_BITS } from '../bits.ts';
import { type ColumnCondition, type Condition, operandsOf } from '../condition/condition.ts';
import { compile, type Predicate } from '../condition/predicate.ts';
import { PAGE_SLOTS } from '../pages/page.ts';
import type { Layout } from '../schema/layout.ts';
import { columnFilter, type Filter, type Leaf, MEANS, ROW_TEST } from './column-filters.ts';

/** The number of conditions on columns, slow ones aside, that make one unit of work. */
const CONDITIONS_PER_UNIT = 4;

/**
 * The memory of a condition from its parsing to its end, of each operand, and of each character of
 * a text, in bytes: measured with 510 filters of each operator, and rounded up.
 */
const BYTES_PER_CONDITION = 2_500;
const BYTES_PER_OPERAND = 120;
const BYTES_PER_CHARACTER = 10;

/** What the rows of a query must satisfy. */
export interface Criteria {
  /** Absent if every row is wanted. */
  readonly filter: Filter | undefined;
  readonly leaves: readonly Leaf[];
  readonly usesSignature: boolean;
  /** Whether a row matches. */
  readonly test: Predicate;
  /** The units of work to test a row, apart from slow conditions. */
  readonly cost: number;
  /** The memory that they hold, in bytes. */
  readonly bytes: number;
}

/** Compiles checked conditions, all of which must be true. */
export function criteriaFor(layout: Layout, conditions: readonly Condition[]): Criteria {
  const leaves: Leaf[] = [];
  /** Filters by the text that they look for: columns with one signature share them. */
  const byText = new Map<string, Filter>();

  /** Combines conditions that must be as wanted: true or false, all of them or any. */
  function group(conditions: readonly Condition[], isAll: boolean, wanted: boolean): Filter {
    const filters = [...new Set(conditions.map((condition) => filterOf(condition, wanted)))];
    // The fastest first.
    filters.sort((a, b) => MEANS.indexOf(a.means) - MEANS.indexOf(b.means));
    const [only] = filters;
    if (only && filters.length === 1) return only;
    if (!isAll && filters.includes(ROW_TEST)) return ROW_TEST;
    const means = filters.at(-1)?.means ?? 'identity';
    return { narrow: isAll ? intersection(filters) : union(filters), means };
  }

  function filterOf(condition: Condition, wanted: boolean): Filter {
    switch (condition.op) {
      case 'and':
      case 'or':
        return group(condition.conditions, (condition.op === 'and') === wanted, wanted);
      case 'not':
        return filterOf(condition.condition, !wanted);
      default: {
        const filter = columnFilter(layout, condition, wanted, byText);
        leaves.push({ condition, means: filter.means });
        return filter;
      }
    }
  }

  const filter = conditions.length === 0 ? undefined : group(conditions, true, true);
  return {
    filter,
    leaves,
    usesSignature: leaves.some(({ means }) => means === 'signature'),
    test: compile(layout, conditions),
    cost: Math.max(1, leaves.length / CONDITIONS_PER_UNIT),
    bytes: leaves.reduce((bytes, { condition }) => bytes + bytesOf(condition), 0),
  };
}

function intersection(filters: readonly Filter[]): Filter['narrow'] {
  return (page, mask) => {
    let isExact = true;
    for (const filter of filters) {
      if (!filter.narrow(page, mask)) isExact = false;
      if (isEmpty(mask, page.words)) return true;
    }
    return isExact;
  };
}

function union(filters: readonly Filter[]): Filter['narrow'] {
  const [part, united] = [newMask(), newMask()];
  return (page, mask) => {
    let isExact = true;
    united.fill(0);
    for (const filter of filters) {
      part.set(mask);
      if (!filter.narrow(page, part)) isExact = false;
      for (let w = 0; w < page.words; w++) united[w] = (united[w] ?? 0) | (part[w] ?? 0);
    }
    mask.set(united);
    return isExact;
  };
}

/** Makes a mask that fits every page. */
export function newMask(): Mask {
  return new Int32Array(PAGE_SLOTS / WORD_BITS);
}

function bytesOf(condition: ColumnCondition): number {
  let bytes = BYTES_PER_CONDITION;
  for (const operand of operandsOf(condition)) {
    const characters = typeof operand === 'string' ? operand.length : 0;
    bytes += BYTES_PER_OPERAND + characters * BYTES_PER_CHARACTER;
  }
  return bytes;
}

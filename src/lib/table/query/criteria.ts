import { isEmpty, type Mask, setBits, WORD_BITS } from '../bits.ts';
import { type ColumnCondition, type Condition, operandsOf } from '../condition/condition.ts';
import type { Interval } from '../condition/intervals.ts';
import { OPERATORS, type Operator, operatorOf } from '../condition/operators.ts';
import { compile, compileForValues, type Predicate } from '../condition/predicate.ts';
import { PAGE_SLOTS } from '../pages/capacity.ts';
import { searchedParts } from '../pages/grams.ts';
import type { Page } from '../pages/page.ts';
import { TextSearch } from '../pages/text-search.ts';
import type { Identity, ResolvedSchema } from '../schema/resolved-schema.ts';

/** What finds the rows for a condition on a column, from the fastest to the slowest. */
export const MEANS = ['identity', 'bitmaps', 'order', 'signature', 'row test'] as const;
/** One of `MEANS`. */
export type Means = (typeof MEANS)[number];

/** Finds, page by page, the rows for which a condition may be true. */
export interface Filter {
  /** Whether no row of a page can match, if that is known sooner than `narrow` tells it. */
  readonly excludes?: (page: Page) => boolean;
  /**
   * Removes positions of rows for which the condition is not true from a mask. Returns whether it
   * is true for all that remain; if not, they must be tested.
   */
  narrow(page: Page, mask: Mask): boolean;
  /** The slowest of its means. */
  readonly means: Means;
}

/** A condition on a column, and what finds its rows. */
export interface Leaf {
  readonly condition: ColumnCondition;
  readonly means: Means;
}

/** The filter of a condition that only a test of each row decides. */
const ROW_TEST: Filter = { narrow: () => false, means: 'row test' };

/** More intervals take longer to look up in an order than a page of rows takes to test. */
const MAX_INTERVALS = 64;

/** The number of conditions on columns, slow ones aside, that make one unit of work. */
const CONDITIONS_PER_UNIT = 4;

/** Bytes of a condition, from its parsing to its end: measured with 510 filters, rounded up. */
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
export function criteriaFor(schema: ResolvedSchema, conditions: readonly Condition[]): Criteria {
  const leaves: Leaf[] = [];
  /** Columns with one signature share the searches of texts. */
  const byText = new Map<string, TextSearch>();

  /** Combines conditions that must be as wanted: true or false, all of them or any. */
  function group(conditions: readonly Condition[], isAll: boolean, wanted: boolean): Filter {
    const filters = [...new Set(conditions.map((condition) => filterOf(condition, wanted)))];
    const [only] = filters;
    if (only && filters.length === 1) return only;
    if (!isAll && filters.includes(ROW_TEST)) return ROW_TEST;
    // The fastest first.
    filters.sort((a, b) => MEANS.indexOf(a.means) - MEANS.indexOf(b.means));
    const means = filters.at(-1)?.means ?? 'identity';
    const narrow = isAll ? intersection(filters) : union(filters);
    return { excludes: excluding(filters, isAll), narrow, means };
  }

  function filterOf(condition: Condition, wanted: boolean): Filter {
    switch (condition.op) {
      case 'and':
      case 'or':
        return group(condition.conditions, (condition.op === 'and') === wanted, wanted);
      case 'not':
        return filterOf(condition.condition, !wanted);
      default: {
        const filter = columnFilter(schema, condition, wanted, byText);
        leaves.push({ condition, means: filter.means });
        return filter;
      }
    }
  }

  const filter = conditions.length === 0 ? undefined : group(conditions, true, true);
  const bytes = byText.size * TextSearch.MAX_BYTES;
  return {
    filter,
    leaves,
    usesSignature: byText.size > 0,
    test: compile(schema, conditions),
    cost: Math.max(1, leaves.length / CONDITIONS_PER_UNIT),
    bytes: leaves.reduce((sum, { condition }) => sum + bytesOf(condition), bytes),
  };
}

function excluding(filters: readonly Filter[], isAll: boolean): (page: Page) => boolean {
  return (page) => {
    for (const filter of filters) {
      const excludes = filter.excludes?.(page) ?? false;
      if (excludes === isAll) return isAll;
    }
    return !isAll;
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

/** Returns the filter of a condition, which must be true (or false, if so wanted). */
function columnFilter(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
  byText: Map<string, TextSearch>,
): Filter {
  const { column } = condition;
  const { identity } = schema;
  if (column === identity.column) {
    return intervalFilter(condition, wanted, 'identity', (found, page, interval) =>
      addSlots(identity, found, page, interval),
    );
  }
  switch (schema.columns.get(column)?.index) {
    case 'bitmap':
      return bitmapFilter(schema, condition, wanted);
    case 'ordered': {
      const index = schema.ordered.findIndex((each) => each.column === column);
      return intervalFilter(condition, wanted, 'order', (found, page, interval) =>
        page.ordered[index]?.addTo(found, interval),
      );
    }
    case 'substring':
      return wanted ? signatureFilter(condition, byText) : ROW_TEST;
    default:
      return ROW_TEST;
  }
}

/** Finds rows by the bitmaps of values that fit. */
function bitmapFilter(schema: ResolvedSchema, condition: ColumnCondition, wanted: boolean): Filter {
  const holds = compileForValues(schema, condition, wanted);
  const index = schema.bitmaps.findIndex(({ column }) => column === condition.column);
  return {
    narrow: (page, mask) => page.bitmaps[index]?.narrow(mask, holds) ?? false,
    means: 'bitmaps',
  };
}

/** Finds rows by the intervals of their values, of which a page knows the positions. */
function intervalFilter(
  condition: ColumnCondition,
  wanted: boolean,
  means: Means,
  addTo: (found: Mask, page: Page, interval: Interval) => void,
): Filter {
  const operator: Operator = OPERATORS[condition.op];
  const { intervals } = (wanted ? operator : operatorOf(operator.complement)) ?? {};
  const wantedIntervals = intervals?.(operandsOf(condition));
  if (!wantedIntervals) return ROW_TEST;
  if (means === 'order' && wantedIntervals.length > MAX_INTERVALS) return ROW_TEST;
  const found = newMask();
  return {
    narrow: (page, mask) => {
      found.fill(0, 0, page.words);
      for (const interval of wantedIntervals) addTo(found, page, interval);
      for (let w = 0; w < page.words; w++) mask[w] = (mask[w] ?? 0) & (found[w] ?? 0);
      return true;
    },
    means,
  };
}

/** Adds the positions of rows whose ids, which tell their slots, are in an interval to a mask. */
function addSlots(identity: Identity, found: Mask, page: Page, { from, to }: Interval): void {
  const first = from.value === null ? 0 : identity.slotOf(from.value) + (from.included ? 0 : 1);
  const last = to ? identity.slotOf(to.value) + (to.included ? 1 : 0) : Number.POSITIVE_INFINITY;
  setBits(found, page.positionFrom(first), page.positionFrom(last));
}

/** Finds rows by the grams of the texts that the row must contain. */
function signatureFilter(condition: ColumnCondition, byText: Map<string, TextSearch>): Filter {
  const { texts }: Operator = OPERATORS[condition.op];
  const parts = searchedParts(texts?.(String(operandsOf(condition)[0])) ?? []);
  if (parts.length === 0) return ROW_TEST;
  // No text has a lone surrogate.
  const key = parts.join('\ud800');
  const search = byText.get(key) ?? new TextSearch(parts);
  byText.set(key, search);
  return search;
}

import { intersect, isEmpty, type Mask, setBits, WORD_BITS, wordAt } from '../bits.ts';
import { type Condition, operandsOf } from '../condition/condition.ts';
import type { Interval } from '../condition/intervals.ts';
import { OPERATORS, operatorOf } from '../condition/operators.ts';
import type { Leaf, Predicate } from '../condition/predicate.ts';
import { combined, rowTest, textSearch, valueTest } from '../condition/predicate.ts';
import { PAGE_SLOTS } from '../pages/capacity.ts';
import { searchedParts } from '../pages/grams.ts';
import type { Page } from '../pages/page.ts';
import { TextSearch } from '../pages/text-search.ts';
import type { Value } from '../schema/column.ts';
import { columnOf, type IndexedColumn, type ResolvedSchema } from '../schema/resolved-schema.ts';

/** What finds the rows for a condition on a column, from the fastest to the slowest. */
const MEANS = ['identity', 'bitmaps', 'order', 'signature', 'row test'] as const;
type Means = (typeof MEANS)[number];

/** What a filter has found: no rows, rows that match, or candidates, which must be tested. */
type Found = 'nothing' | 'matches' | 'candidates';

/** Finds, page by page, the rows for which a condition may be true. */
interface Filter {
  /**
   * Writes those of some rows of a page for which the condition may be true to a mask, which may be
   * the same. If it finds nothing, it need not have written it.
   */
  narrow(page: Page, rows: Mask, mask: Mask): Found;
  /** The slowest of its means. */
  readonly means: Means;
}

/** The filter of a condition that only a test of each row decides. */
const ROW_TEST: Filter = {
  narrow: (_, rows, mask) => {
    mask.set(rows);
    return 'candidates';
  },
  means: 'row test',
};

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
  readonly usesSignature: boolean;
  /** Returns what tests whether a row matches, which it makes once: often, no row is tested. */
  readonly test: () => Predicate;
  /** The units of work to test a row, apart from slow conditions. */
  readonly cost: number;
  /** The memory that they hold, in bytes. */
  readonly bytes: number;
}

/** What every row satisfies. */
const NO_CRITERIA: Criteria = {
  filter: undefined,
  usesSignature: false,
  test: () => () => true,
  cost: 1,
  bytes: 0,
};

/** What finds the rows of a condition, and what tests them. */
type Compiled = Pick<Criteria, 'test'> & { readonly filter: Filter };

/**
 * Compiles checked conditions, all of which must be true.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, a condition is compiled to either of two, "is true" or "is
 * false", and `not` swaps them. Of null, most conditions are neither (table.md: "Null").
 */
export function criteriaFor(schema: ResolvedSchema, conditions: readonly Condition[]): Criteria {
  if (conditions.length === 0) return NO_CRITERIA;
  /** Columns with one signature share the searches of texts. */
  const byText = new Map<string, TextSearch>();
  let [count, bytes] = [0, 0];

  function compiled(condition: Condition, wanted: boolean): Compiled {
    switch (condition.op) {
      case 'and':
      case 'or':
        return group(condition.conditions, (condition.op === 'and') === wanted, wanted);
      case 'not':
        return compiled(condition.condition, !wanted);
      default: {
        const { op, column: name } = condition;
        const operands = operandsOf(condition);
        const column = columnOf(schema, name);
        const leaf = { name, column, operator: OPERATORS[op], operands, wanted };
        const filter = columnFilter(schema, leaf, byText);
        count++;
        bytes += bytesOf(operands);
        return { filter, test: () => rowTest(leaf) };
      }
    }
  }

  /** Compiles conditions that must be as wanted, true or false: all of them, or any. */
  function group(conditions: readonly Condition[], isAll: boolean, wanted: boolean): Compiled {
    const parts = conditions.map((condition) => compiled(condition, wanted));
    const filter = grouped([...new Set(parts.map((part) => part.filter))], isAll);
    const test = () => {
      const search = wanted && !isAll ? textSearch(conditions) : undefined;
      const tests = () => parts.map((part) => part.test());
      return search ?? combined(tests(), isAll);
    };
    return { filter, test };
  }

  const { filter, test } = group(conditions, true, true);
  let made: Predicate | undefined;
  return {
    filter,
    usesSignature: byText.size > 0,
    test: () => {
      made ??= test();
      return made;
    },
    cost: Math.max(1, count / CONDITIONS_PER_UNIT),
    bytes,
  };
}

/** Combines filters, all of which must find a row, or any. */
function grouped(filters: Filter[], isAll: boolean): Filter {
  const [only] = filters;
  if (only && filters.length === 1) return only;
  if (!isAll && filters.includes(ROW_TEST)) return ROW_TEST;
  // The fastest first.
  filters.sort((a, b) => MEANS.indexOf(a.means) - MEANS.indexOf(b.means));
  // Without filters, all rows are found, or none: no other means is as fast.
  const means = filters.at(-1)?.means ?? MEANS[0];
  return { narrow: isAll ? intersection(filters) : union(filters), means };
}

function intersection(filters: readonly Filter[]): Filter['narrow'] {
  return (page, rows, mask) => {
    let found: Found = 'matches';
    mask.set(rows);
    for (const filter of filters) {
      const each = filter.narrow(page, mask, mask);
      if (each === 'nothing' || isEmpty(mask, page.words)) return 'nothing';
      if (each === 'candidates') found = each;
    }
    return found;
  };
}

function union(filters: readonly Filter[]): Filter['narrow'] {
  const [part, united] = [newMask(), newMask()];
  return (page, rows, mask) => {
    let found: Found = 'nothing';
    united.fill(0);
    for (const filter of filters) {
      const each = filter.narrow(page, rows, part);
      if (each === 'nothing') continue;
      if (found !== 'candidates') found = each;
      for (let w = 0; w < page.words; w++) united[w] = wordAt(united, w) | wordAt(part, w);
    }
    mask.set(united);
    return found;
  };
}

/** Makes a mask that fits every page. */
export function newMask(): Mask {
  return new Int32Array(PAGE_SLOTS / WORD_BITS);
}

function bytesOf(operands: readonly Value[]): number {
  let characters = 0;
  for (const operand of operands) if (typeof operand === 'string') characters += operand.length;
  const bytes = BYTES_PER_CONDITION + operands.length * BYTES_PER_OPERAND;
  return bytes + characters * BYTES_PER_CHARACTER;
}

function columnFilter(schema: ResolvedSchema, leaf: Leaf, byText: Map<string, TextSearch>): Filter {
  const { bitmaps, ordered } = schema;
  const { name } = leaf;
  const indexOf = (indexed: readonly IndexedColumn[]) =>
    indexed.findIndex(({ column }) => column === name);
  if (name === schema.identity.column) return intervalFilter(leaf, 'identity', addSlots);
  switch (leaf.column.index) {
    case 'bitmap': {
      const [index, fits] = [indexOf(bitmaps), valueTest(leaf)];
      const narrow: Filter['narrow'] = (page, rows, mask) =>
        page.bitmaps[index]?.narrow(rows, mask, fits)
          ? 'matches'
          : ROW_TEST.narrow(page, rows, mask);
      return { narrow, means: 'bitmaps' };
    }
    case 'ordered': {
      const index = indexOf(ordered);
      const add: AddTo = (found, page, interval) => page.ordered[index]?.addTo(found, interval);
      return intervalFilter(leaf, 'order', add);
    }
    case 'substring':
      return leaf.wanted ? signatureFilter(leaf, byText) : ROW_TEST;
    default:
      return ROW_TEST;
  }
}

type AddTo = (found: Mask, page: Page, interval: Interval) => void;

/** Finds rows by the intervals of their values, of which a page knows the positions. */
function intervalFilter({ operator, operands, wanted }: Leaf, means: Means, addTo: AddTo): Filter {
  const asWanted = wanted ? operator : operatorOf(operator.complement);
  const intervals = asWanted?.intervals?.(operands);
  if (!intervals || (means === 'order' && intervals.length > MAX_INTERVALS)) return ROW_TEST;
  const found = newMask();
  return {
    narrow: (page, rows, mask) => {
      found.fill(0, 0, page.words);
      for (const interval of intervals) addTo(found, page, interval);
      intersect(mask, rows, found, page.words);
      return 'matches';
    },
    means,
  };
}

/** Adds the positions of rows whose ids, which tell their slots, are in an interval to a mask. */
function addSlots(found: Mask, page: Page, { from, to }: Interval): void {
  const { identity } = page.schema;
  const first = from.value === null ? 0 : identity.slotOf(from.value) + (from.included ? 0 : 1);
  const last = to ? identity.slotOf(to.value) + (to.included ? 1 : 0) : Number.POSITIVE_INFINITY;
  setBits(found, page.positionFrom(first), page.positionFrom(last));
}

/** Finds rows by the grams of the texts that the row must contain. */
function signatureFilter({ operator, operands }: Leaf, byText: Map<string, TextSearch>): Filter {
  if (!operator.texts) return ROW_TEST;
  const parts = searchedParts(operator.texts(String(operands[0])));
  if (parts.length === 0) return ROW_TEST;
  // No text has a lone surrogate.
  const key = parts.join('\ud800');
  const search = byText.get(key) ?? new TextSearch(parts);
  byText.set(key, search);
  return search;
}

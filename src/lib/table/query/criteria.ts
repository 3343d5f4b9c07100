import { firstNotBefore } from '../binary-search.ts';
import { isEmpty, type Mask, setBits, wordAt } from '../bits.ts';
import { type Condition, operandsOf } from '../condition/condition.ts';
import type { Bound, Interval } from '../condition/intervals.ts';
import { OPERATORS } from '../condition/operators.ts';
import {
  type ColumnTest,
  combinePredicates,
  type Predicate,
  rowTest,
  textSearch,
  valueTest,
} from '../condition/predicate.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { LeafList } from '../rows/open-snapshots.ts';
import type { ColumnMasks } from '../rows/value-masks.ts';
import type { Value } from '../schema/column.ts';
import { leafOf, offsetOf } from '../schema/identity.ts';
import type { Integer } from '../schema/integer.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import { gramsOf, searchedPart } from '../texts/grams.ts';

/**
 * Removes from a mask the rows of a leaf for which a condition cannot be true. The words of the leaf
 * start at `base`. Returns whether the remaining rows must be tested.
 */
type Filter = (leaf: Leaf, mask: Mask, base: number) => boolean;

/** The filter of a condition without an index: every row must be tested. */
const ROW_TEST: Filter = () => true;

/** The maximum bytes of a condition while its query runs, measured with 510 filters. */
const BYTES_PER_CONDITION = 1_000;
/** The bytes per character of an operand, and the characters to add for each operand. */
const BYTES_PER_CHARACTER = 10;
const CHARACTERS_PER_OPERAND = 12;

/** The compiled conditions of a query. */
export interface Criteria {
  /** Absent if every row is wanted. */
  readonly filter: Filter | undefined;
  /** Returns the test of rows. Made on first use, because often no row is tested. */
  readonly test: () => Predicate;
  /** The units of work to test a row: the number of conditions. */
  readonly cost: number;
  /** The memory that they hold, in bytes. */
  readonly bytes: number;
}

/** The criteria of a query without conditions. */
const NO_CRITERIA: Criteria = { filter: undefined, test: () => () => true, cost: 1, bytes: 0 };

/** A compiled condition: a filter that finds rows, and a test of single rows. */
interface Compiled {
  readonly filter: Filter;
  readonly test: () => Predicate;
}

/** The columns of a table, and their masks. */
type Columns = Pick<LeafList, 'schema' | 'values'>;

/**
 * Compiles checked conditions, all of which must be true.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, each condition is compiled to one of two tests, "is true" or
 * "is false", and `not` swaps them. For null, most conditions are unknown, so both tests fail
 * (README: "Conditions").
 */
export function criteriaFor(list: Columns, conditions: readonly Condition[]): Criteria {
  if (conditions.length === 0) return NO_CRITERIA;
  /** By text. Columns share a filter, because they share a signature. */
  const byText = new Map<string, Filter>();
  let [count, bytes] = [0, 0];

  function compile(condition: Condition, wanted: boolean): Compiled {
    switch (condition.op) {
      case 'and':
      case 'or':
        // The negation of `and` is an `or` of negations (De Morgan).
        return compileGroup(condition.conditions, (condition.op === 'and') === wanted, wanted);
      case 'not':
        return compile(condition.condition, !wanted);
      default: {
        const { op, column: name } = condition;
        const operands = operandsOf(condition);
        const column = columnOf(list.schema, name);
        const test = { name, column, operator: OPERATORS[op], operands, wanted };
        count++;
        bytes += bytesOf(operands);
        return { filter: columnFilter(list, test, byText), test: () => rowTest(test) };
      }
    }
  }

  /** Compiles conditions of which all, or any, must have the result `wanted`. */
  function compileGroup(
    conditions: readonly Condition[],
    isAll: boolean,
    wanted: boolean,
  ): Compiled {
    const parts: Compiled[] = [];
    const filters: Filter[] = [];
    for (let i = 0; i < conditions.length; i++) {
      const part = compile(conditions[i] as Condition, wanted);
      parts.push(part);
      if (!filters.includes(part.filter)) filters.push(part.filter);
    }
    const test = () => {
      const search = wanted && !isAll ? textSearch(conditions) : undefined;
      return (
        search ??
        combinePredicates(
          parts.map((part) => part.test()),
          isAll,
        )
      );
    };
    return { filter: combineFilters(filters, isAll), test };
  }

  const { filter, test } = compileGroup(conditions, true, true);
  let compiledTest: Predicate | undefined;
  return {
    filter,
    test: () => {
      compiledTest ??= test();
      return compiledTest;
    },
    cost: count,
    bytes,
  };
}

/** Combines filters with `and` or `or`. */
function combineFilters(filters: readonly Filter[], isAll: boolean): Filter {
  const [only] = filters;
  if (only && filters.length === 1) return only;
  if (isAll) return intersection(filters);
  return filters.includes(ROW_TEST) ? ROW_TEST : union(filters);
}

function intersection(filters: readonly Filter[]): Filter {
  return (leaf, mask, base) => {
    let isTested = false;
    for (let i = 0; i < filters.length; i++) {
      if (filters[i]?.(leaf, mask, base)) isTested = true;
      if (isEmpty(mask, base, base + LEAF_WORDS)) return false;
    }
    return isTested;
  };
}

function union(filters: readonly Filter[]): Filter {
  const [part, united] = [new Int32Array(LEAF_WORDS), new Int32Array(LEAF_WORDS)];
  return (leaf, mask, base) => {
    let isTested = false;
    united.fill(0);
    for (const filter of filters) {
      for (let w = 0; w < LEAF_WORDS; w++) part[w] = wordAt(mask, base + w);
      const isPartTested = filter(leaf, part, 0);
      if (isPartTested && !isEmpty(part, 0, LEAF_WORDS)) isTested = true;
      for (let w = 0; w < LEAF_WORDS; w++) united[w] = wordAt(united, w) | wordAt(part, w);
    }
    mask.set(united, base);
    return isTested;
  };
}

function bytesOf(operands: readonly Value[]): number {
  let characters = operands.length * CHARACTERS_PER_OPERAND;
  for (const operand of operands) if (typeof operand === 'string') characters += operand.length;
  return BYTES_PER_CONDITION + characters * BYTES_PER_CHARACTER;
}

function columnFilter(
  { schema, values }: Columns,
  test: ColumnTest,
  byText: Map<string, Filter>,
): Filter {
  const { name } = test;
  if (name === schema.identity.column) return identityFilter(schema, test);
  switch (test.column.index) {
    case 'bitmap': {
      const masks = values.of(name);
      return masks?.isExact ? bitmapFilter(masks, test) : ROW_TEST;
    }
    case 'ordered':
      return zoneFilter(schema, test);
    case 'substring':
      return test.wanted ? textFilter(test, byText) : ROW_TEST;
    default:
      return ROW_TEST;
  }
}

/** Returns the intervals of values for which a condition must be true, if it has intervals. */
function intervalsOf({ operator, operands, wanted }: ColumnTest): readonly Interval[] | undefined {
  return wanted ? operator.intervals?.(operands) : undefined;
}

/** Consecutive slots: from one in a leaf up to (exclusive) one in the same or a later leaf. */
interface Slots {
  readonly fromLeaf: Integer;
  readonly from: number;
  readonly toLeaf: Integer;
  readonly to: number;
}

/** Finds rows by id, which determines their slot. */
function identityFilter({ identity }: ResolvedSchema, test: ColumnTest): Filter {
  const intervals = intervalsOf(test);
  if (!intervals) return ROW_TEST;
  /** Returns the first slot of an interval, or the slot after its last one. */
  const slotOf = ({ value, included }: Bound, isEnd: boolean): Integer => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return 0;
    return identity.slotOf(included === isEnd ? identity.after(value) : value);
  };
  const ranges = intervals.map(({ from, to }): Slots => {
    const first = slotOf(from, false);
    const end = to ? slotOf(to, true) : Number.POSITIVE_INFINITY;
    return {
      fromLeaf: leafOf(first),
      from: offsetOf(first),
      toLeaf: leafOf(end),
      to: offsetOf(end),
    };
  });
  ranges.sort((a, b) => compareIntegers(a.fromLeaf, b.fromLeaf) || a.from - b.from);
  const found = new Int32Array(LEAF_WORDS);
  return ({ number }, mask, base) => {
    found.fill(0);
    const first = firstNotBefore(ranges.length, (i) => (ranges[i]?.toLeaf ?? number) < number);
    for (let i = first; i < ranges.length; i++) {
      const { fromLeaf, from, toLeaf, to } = ranges[i] as Slots;
      if (fromLeaf > number) break;
      setBits(found, fromLeaf < number ? 0 : from, toLeaf > number ? LEAF_SLOTS : to);
    }
    for (let w = 0; w < LEAF_WORDS; w++) mask[base + w] = wordAt(mask, base + w) & wordAt(found, w);
    return false;
  };
}

function compareIntegers(a: Integer, b: Integer): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Finds rows by their values, each of which has a mask. */
function bitmapFilter({ values, masks }: ColumnMasks, test: ColumnTest): Filter {
  const fits = valueTest(test);
  const wanted = masks.filter((_, i) => fits(values[i] ?? null)).map((n) => n * LEAF_WORDS);
  return (leaf, mask, base) => {
    const words = leaf.masks;
    for (let w = 0; w < LEAF_WORDS; w++) {
      let any = 0;
      for (let i = 0; i < wanted.length; i++) any |= words[(wanted[i] ?? 0) + w] ?? 0;
      mask[base + w] = wordAt(mask, base + w) & any;
    }
    return false;
  };
}

/** Skips leaves without a value in the interval. Rows are tested only in leaves that overlap it. */
function zoneFilter({ ordered }: ResolvedSchema, test: ColumnTest): Filter {
  const index = ordered.findIndex(({ column }) => column === test.name);
  const [interval, other] = intervalsOf(test) ?? [];
  if (!interval || other) return ROW_TEST;
  const { from, to } = interval;
  const compare = comparatorOf(test.column.kind);
  const isAboveFrom = (value: Value | null) => {
    const order = compare(value, from.value);
    return order > 0 || (order === 0 && from.included);
  };
  const isBelowTo = (value: Value | null) => {
    if (!to) return true;
    const order = compare(value, to.value);
    return order < 0 || (order === 0 && to.included);
  };
  return ({ zones }, mask, base) => {
    const zone = zones[index];
    if (!zone) return true;
    const { least, greatest } = zone;
    const isWithin = isAboveFrom(least) && isBelowTo(greatest);
    const overlaps = isAboveFrom(greatest) && isBelowTo(least);
    if (!overlaps) mask.fill(0, base, base + LEAF_WORDS);
    return overlaps && !isWithin;
  };
}

/** Finds rows by the grams of a text that the row must contain. */
function textFilter({ operator, operands }: ColumnTest, byText: Map<string, Filter>): Filter {
  const part = operator.matchesContainOperand ? searchedPart(String(operands[0])) : undefined;
  if (part === undefined) return ROW_TEST;
  let filter = byText.get(part);
  if (!filter) {
    filter = gramFilter(gramsOf(part));
    byText.set(part, filter);
  }
  return filter;
}

function gramFilter(grams: readonly number[]): Filter {
  return ({ signature, unsigned }, mask, base) =>
    signature ? signature.narrow(grams, unsigned, mask, base) : true;
}

import { clearBit, isEmpty, type Mask, positionsIn, setBits, WORD_BITS, wordAt } from '../bits.ts';
import { type Condition, operandsOf } from '../condition/condition.ts';
import type { Interval } from '../condition/intervals.ts';
import { OPERATORS, operatorOf } from '../condition/operators.ts';
import {
  type ColumnTest,
  combined,
  type Predicate,
  rowTest,
  textSearch,
  valueTest,
} from '../condition/predicate.ts';
import type { Chunk } from '../rows/chunk.ts';
import type { ColumnMasks, ValueMasks } from '../rows/value-masks.ts';
import type { Zone } from '../rows/zone.ts';
import type { Value } from '../schema/column.ts';
import { compareNulls } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { CHUNK_WORDS, LEAF_WORDS } from '../slots.ts';
import { gramsOf, searchedPart } from '../texts/grams.ts';

/** The rows that a filter leaves: none, only matching ones, or candidates that must be tested. */
export type Found = 'nothing' | 'matches' | 'candidates';

/**
 * Removes from a mask the rows of a chunk for which a condition cannot be true. After `nothing`, the
 * mask must not be read.
 */
type Filter = (chunk: Chunk, mask: Mask) => Found;

/** The filter of a condition that only a test of each row decides. */
const ROW_TEST: Filter = () => 'candidates';

/** How many leaves of a chunk to test by row. If values ascend, an interval ends in two. */
const MAX_TESTED_LEAVES = 2;

/** The maximum bytes of a condition while its query runs, measured with 510 filters. */
const BYTES_PER_CONDITION = 2_500;
/** The bytes per character of an operand, and the characters to add for each operand. */
const BYTES_PER_CHARACTER = 10;
const CHARACTERS_PER_OPERAND = 12;

/** The compiled conditions of a query. */
export interface Criteria {
  /** Absent if every row is wanted. */
  readonly filter: Filter | undefined;
  readonly searchesTexts: boolean;
  /** Returns the test of rows. Made on first use, because often no row is tested. */
  readonly test: () => Predicate;
  /** The units of work to test a row: the number of conditions. */
  readonly cost: number;
  /** The memory that they hold, in bytes. */
  readonly bytes: number;
}

/** The criteria of a query without conditions. */
const NO_CRITERIA: Criteria = {
  filter: undefined,
  searchesTexts: false,
  test: () => () => true,
  cost: 1,
  bytes: 0,
};

/** A compiled condition: a filter that finds rows, and a test of single rows. */
interface Compiled {
  readonly filter: Filter;
  readonly test: () => Predicate;
}

/** The schema and the masks of a table. */
interface Columns {
  readonly schema: ResolvedSchema;
  readonly values: ValueMasks;
}

/**
 * Compiles checked conditions, all of which must be true.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, each condition is compiled to one of two tests, "is true" or
 * "is false", and `not` swaps them. For null, most conditions are unknown, so both tests fail
 * (README: "Null").
 */
export function criteriaFor(columns: Columns, conditions: readonly Condition[]): Criteria {
  if (conditions.length === 0) return NO_CRITERIA;
  /** By text. Columns share a filter, because they share a block. */
  const byText = new Map<string, Filter>();
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
        const column = columnOf(columns.schema, name);
        const test = { name, column, operator: OPERATORS[op], operands, wanted };
        count++;
        bytes += bytesOf(operands);
        return { filter: columnFilter(columns, test, byText), test: () => rowTest(test) };
      }
    }
  }

  /** Compiles conditions of which all, or any, must have the result `wanted`. */
  function group(conditions: readonly Condition[], isAll: boolean, wanted: boolean): Compiled {
    const parts: Compiled[] = [];
    const filters: Filter[] = [];
    for (let i = 0; i < conditions.length; i++) {
      const part = compiled(conditions[i] as Condition, wanted);
      parts.push(part);
      if (!filters.includes(part.filter)) filters.push(part.filter);
    }
    const test = () => {
      const search = wanted && !isAll ? textSearch(conditions) : undefined;
      return (
        search ??
        combined(
          parts.map((part) => part.test()),
          isAll,
        )
      );
    };
    return { filter: grouped(filters, isAll), test };
  }

  const { filter, test } = group(conditions, true, true);
  let made: Predicate | undefined;
  return {
    filter,
    searchesTexts: byText.size > 0,
    test: () => {
      made ??= test();
      return made;
    },
    cost: count,
    bytes,
  };
}

/** Combines filters. All must find a row, or at least one. */
function grouped(filters: readonly Filter[], isAll: boolean): Filter {
  const [only] = filters;
  if (only && filters.length === 1) return only;
  if (isAll) return intersection(filters);
  return filters.includes(ROW_TEST) ? ROW_TEST : union(filters);
}

function intersection(filters: readonly Filter[]): Filter {
  return (chunk, mask) => {
    let found: Found = 'matches';
    for (let i = 0; i < filters.length; i++) {
      const each = filters[i]?.(chunk, mask);
      if (each === 'nothing' || isEmpty(mask, 0, chunk.words)) return 'nothing';
      if (each === 'candidates') found = each;
    }
    return found;
  };
}

function union(filters: readonly Filter[]): Filter {
  const [part, united] = [newMask(), newMask()];
  return (chunk, mask) => {
    const { words } = chunk;
    let found: Found = 'nothing';
    united.fill(0, 0, words);
    for (const filter of filters) {
      for (let w = 0; w < words; w++) part[w] = wordAt(mask, w);
      const each = filter(chunk, part);
      if (each === 'nothing') continue;
      if (found !== 'candidates') found = each;
      for (let w = 0; w < words; w++) united[w] = wordAt(united, w) | wordAt(part, w);
    }
    for (let w = 0; w < words; w++) mask[w] = wordAt(united, w);
    return found;
  };
}

/** Makes a mask that fits every chunk. */
export function newMask(): Mask {
  return new Int32Array(CHUNK_WORDS);
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

/** Returns the intervals of values for which a condition has the result `wanted`, if known. */
function intervalsOf({ operator, operands, wanted }: ColumnTest): readonly Interval[] | undefined {
  const asWanted = wanted ? operator : operatorOf(operator.complement);
  return asWanted?.intervals?.(operands);
}

/** Finds rows by id, which determines their slot. */
function identityFilter({ identity }: ResolvedSchema, test: ColumnTest): Filter {
  const intervals = intervalsOf(test);
  if (!intervals) return ROW_TEST;
  const found = newMask();
  return ({ number, words }, mask) => {
    found.fill(0, 0, words);
    for (const { from, to } of intervals) {
      const first = from.value === null ? 0 : identity.offsetIn(number, from.value);
      const isAfter = from.value !== null && !from.included && isHere(number, from.value);
      const end = to ? identity.offsetIn(number, to.value) : words * WORD_BITS;
      const isLast = to?.included === true && isHere(number, to.value);
      setBits(found, first + Number(isAfter), Math.min(words * WORD_BITS, end + Number(isLast)));
    }
    let any = 0;
    for (let w = 0; w < words; w++) {
      const left = wordAt(mask, w) & wordAt(found, w);
      mask[w] = left;
      any |= left;
    }
    return any === 0 ? 'nothing' : 'matches';
  };

  function isHere(number: number, id: Value | null): boolean {
    return identity.chunkOf(id) === number;
  }
}

/** Finds rows by their values, each of which has a mask. */
function bitmapFilter({ values, masks }: ColumnMasks, test: ColumnTest): Filter {
  const fits = valueTest(test);
  const wanted = masks.filter((_, i) => fits(values[i] ?? null));
  return ({ leaves, words }, mask) => {
    for (let base = 0; base < words; base += LEAF_WORDS) {
      const bits = leaves[base / LEAF_WORDS]?.bits;
      if (!bits) continue;
      for (let w = 0; w < LEAF_WORDS; w++) {
        const left = wordAt(mask, base + w);
        if (left === 0) continue;
        let any = 0;
        for (let m = 0; m < wanted.length; m++)
          any |= wordAt(bits, (wanted[m] ?? 0) * LEAF_WORDS + w);
        mask[base + w] = left & any;
      }
    }
    return 'matches';
  };
}

/** Skips leaves by their least and greatest values. Tests the rows of a few remaining leaves. */
function zoneFilter({ ordered }: ResolvedSchema, test: ColumnTest): Filter {
  const index = ordered.findIndex(({ column }) => column === test.name);
  const [interval, other] = intervalsOf(test) ?? [];
  if (!interval || other) return ROW_TEST;
  const fits = valueTest(test);
  return ({ leaves, words }, mask) => {
    let found: Found = 'nothing';
    let tested = 0;
    for (let base = 0; base < words; base += LEAF_WORDS) {
      const leaf = leaves[base / LEAF_WORDS];
      if (!leaf || isEmpty(mask, base, base + LEAF_WORDS)) continue;
      const inLeaf = overlap(leaf.zones[index], interval);
      if (inLeaf === 'nothing') mask.fill(0, base, base + LEAF_WORDS);
      else if (inLeaf === 'candidates' && tested++ < MAX_TESTED_LEAVES) {
        for (const at of positionsIn(mask, base, base + LEAF_WORDS)) {
          const value = leaf.rowAt(at)?.[test.name] ?? null;
          if (!fits(value)) clearBit(mask, base * WORD_BITS + at);
        }
        if (found === 'nothing') found = 'matches';
      } else if (found !== 'candidates') found = inLeaf;
    }
    return found;
  };
}

/** Returns which of the rows of a zone have a value in an interval: none, all, or perhaps some. */
function overlap(zone: Zone | undefined, { from, to }: Interval): Found {
  if (!zone) return 'candidates';
  const { least, greatest, column } = zone;
  const compare = (a: Value | null, b: Value | null) => compareNulls(column.compare, a, b);
  const isFrom = (value: Value | null) => compare(value, from.value) >= Number(!from.included);
  const isTo = (value: Value | null) => !to || compare(value, to.value) <= -Number(!to.included);
  if (!isFrom(greatest) || !isTo(least)) return 'nothing';
  return isFrom(least) && isTo(greatest) ? 'matches' : 'candidates';
}

/** Finds rows by the grams of a text that the row must contain. */
function textFilter({ operator, operands }: ColumnTest, byText: Map<string, Filter>): Filter {
  const part = operator.isPart ? searchedPart(String(operands[0])) : undefined;
  if (part === undefined) return ROW_TEST;
  let filter = byText.get(part);
  if (!filter) {
    filter = gramFilter(gramsOf(part));
    byText.set(part, filter);
  }
  return filter;
}

function gramFilter(grams: readonly number[]): Filter {
  let rarest: readonly number[] | undefined;
  return (chunk, mask) => {
    const { block, signed } = chunk;
    if (!block || block.words === 0) return 'candidates';
    rarest ??= block.rarest(grams);
    return block.narrow(rarest, signed, chunk.words, mask) ? 'nothing' : 'candidates';
  };
}

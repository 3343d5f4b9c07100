import { type ColumnCondition, type Condition, operandsOf } from '../condition/condition.ts';
import { OPERATORS, type Operator } from '../condition/operators.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import { type Compare, comparatorOf } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Chunk } from '../state/chunk.ts';
import { emptyMask, type Mask, unite, WORDS, wordAt } from '../state/mask.ts';
import { gramsOf } from '../state/signature.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';

/** Tests a row. */
export type Test = (row: StoredRow) => boolean;

/** One of the conditions that must all be true. */
export interface Criterion {
  /**
   * Removes from a mask the rows of a chunk for which the condition cannot be true. Returns whether
   * the remaining rows must be tested.
   */
  readonly narrow: (chunk: Chunk, rows: Mask) => boolean;
  /** Whether `narrow` uses the signature of a chunk, which needs all texts then. */
  readonly usesSignature: boolean;
  /** Returns the test of rows. Made on first use, because often no row is tested. */
  readonly test: () => Test;
}

/** A way to find rows without testing them. */
type Narrowing = Pick<Criterion, 'narrow' | 'usesSignature'>;

/** The compiled conditions of a query. */
export interface Criteria {
  readonly all: readonly Criterion[];
  /** Whether signatures need all texts. */
  readonly usesSignatures: boolean;
  /** The units of work to test a row: the number of conditions. */
  readonly cost: number;
}

/** A term of at least this many UTF-16 units is looked for in texts before they are folded. */
const SHORTEST_VERBATIM = 3;

/** A condition on a column, and the result that it must have. */
interface ColumnTest {
  readonly column: string;
  readonly operator: Operator;
  readonly operands: readonly Value[];
  readonly wanted: boolean;
  readonly fits: (value: Value | null) => boolean;
}

/**
 * Compiles checked conditions, all of which must be true.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, each condition is compiled to one of two tests, "is true" or
 * "is false", and `not` swaps them. For null, most conditions are unknown, so both tests fail
 * (README: "Conditions").
 */
export function compile(schema: ResolvedSchema, conditions: readonly Condition[]): Criteria {
  let count = 0;

  /** Compiles a condition to criteria that must all hold for it to have the result `wanted`. */
  function criteriaOf(condition: Condition, wanted: boolean): readonly Criterion[] {
    if (condition.op === 'not') return criteriaOf(condition.condition, !wanted);
    if (condition.op === 'and' && wanted) {
      return condition.conditions.flatMap((each) => criteriaOf(each, true));
    }
    countIn(condition);
    if ('column' in condition) {
      const onColumn = columnTest(schema, condition, wanted);
      return [{ ...narrowingOf(schema, onColumn), test: () => rowTest(onColumn) }];
    }
    const grams = wanted ? gramsOf(commonTerm(schema, condition)) : [];
    return [{ ...narrowByGrams(grams), test: lazily(() => testOf(schema, condition, wanted)) }];
  }

  function countIn(condition: Condition): void {
    if (condition.op === 'not') countIn(condition.condition);
    else if ('conditions' in condition) condition.conditions.forEach(countIn);
    else count++;
  }

  const all = conditions.flatMap((each) => criteriaOf(each, true));
  const usesSignatures = all.some(({ usesSignature }) => usesSignature);
  return { all, usesSignatures, cost: Math.max(1, count) };
}

function testOf(schema: ResolvedSchema, condition: Condition, wanted: boolean): Test {
  switch (condition.op) {
    case 'and':
    case 'or':
      // The negation of `and` is an `or` of negations (De Morgan).
      return groupTest(schema, condition.conditions, (condition.op === 'and') === wanted, wanted);
    case 'not':
      return testOf(schema, condition.condition, !wanted);
    default:
      return rowTest(columnTest(schema, condition, wanted));
  }
}

/** Creates the test whether all, or any, conditions have the result `wanted`. */
function groupTest(
  schema: ResolvedSchema,
  conditions: readonly Condition[],
  isAll: boolean,
  wanted: boolean,
): Test {
  const search = wanted && !isAll ? textSearch(conditions) : undefined;
  if (search) return search;
  const tests = conditions.map((each) => testOf(schema, each, wanted));
  // A loop, because nested calls would exhaust the stack.
  return (row) => {
    for (const test of tests) if (test(row) !== isAll) return !isAll;
    return isAll;
  };
}

function columnTest(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
): ColumnTest {
  const { op, column } = condition;
  const operands = operandsOf(condition);
  const operator: Operator = OPERATORS[op];
  const holds = operator.test(operands, comparatorOf(columnOf(schema, column).kind));
  const resultForNull = operator.resultForNull?.(operands) === wanted;
  const fits = (value: Value | null) => (value === null ? resultForNull : holds(value) === wanted);
  return { column, operator, operands, wanted, fits };
}

/** Returns a function that makes a value when it is first called. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function rowTest({ column, fits }: ColumnTest): Test {
  return (row) => fits(row[column] ?? null);
}

/** Creates one test of conditions that all search for the same text; undefined if any does not. */
function textSearch(conditions: readonly Condition[]): Test | undefined {
  const columns: string[] = [];
  const terms = new Set<string>();
  for (const each of conditions) {
    if (each.op !== 'containsIgnoreCase') return undefined;
    columns.push(each.column);
    terms.add(fold(each.value));
  }
  const [term, other] = terms;
  if (term === undefined || other !== undefined) return undefined;
  const matches = ignoringCase(term);
  // Tried first, because most rows found by grams contain the term in lower case.
  const triesVerbatim = term.length >= SHORTEST_VERBATIM;
  return (row) => {
    if (triesVerbatim) {
      for (const column of columns) {
        const text = row[column];
        if (typeof text === 'string' && text.includes(term)) return true;
      }
    }
    for (const column of columns) {
      const text = row[column];
      if (typeof text === 'string' && matches(text)) return true;
    }
    return false;
  };
}

/** Chooses the way to find rows by a condition on a column. */
function narrowingOf(schema: ResolvedSchema, test: ColumnTest): Narrowing {
  const { kind, index } = columnOf(schema, test.column);
  if (index !== 'substring') {
    return { narrow: narrowBySections(test, comparatorOf(kind)), usesSignature: false };
  }
  return narrowByGrams(test.wanted ? gramsOf(termOf(test)) : []);
}

/**
 * Keeps the sections whose values may fit. Rows between two values are tested, unless the operator is
 * monotonic and the result is the same for both, neither of which is null.
 */
function narrowBySections(
  { column, operator, fits }: ColumnTest,
  compare: Compare<Value | null>,
): Criterion['narrow'] {
  return (chunk, rows) => {
    const kept = emptyMask();
    let needsTest = false;
    for (const section of chunk.sectionsOf(column, compare)) {
      const { first, last } = section;
      const isFitting = fits(first);
      const endsDecide = operator.isMonotonic && first !== null && fits(last) === isFitting;
      const isKnown = first === last || endsDecide;
      if (!isKnown) needsTest = true;
      if (!isKnown || isFitting) unite(kept, section.rows);
    }
    for (let w = 0; w < WORDS; w++) rows[w] = wordAt(rows, w) & wordAt(kept, w);
    return needsTest;
  };
}

/** Keeps the rows that may have texts with all grams, as far as the chunk has a signature. */
function narrowByGrams(grams: readonly number[]): Narrowing {
  const usesSignature = grams.length > 0;
  return {
    usesSignature,
    narrow: ({ signature }, rows) => {
      if (usesSignature) signature?.narrow(grams, rows);
      return true;
    },
  };
}

/** Returns the folded text that a text must contain; '' if there is none. */
function termOf({ operator, operands: [operand] }: Pick<ColumnTest, 'operator' | 'operands'>) {
  return operator.matchesContainOperand ? fold(String(operand)) : '';
}

/** Returns the term of all conditions of an `or`; '' if they differ, or if there is none. */
function commonTerm({ substrings }: ResolvedSchema, condition: Condition): string {
  if (condition.op !== 'or') return '';
  const terms = condition.conditions.map((each) =>
    'column' in each && substrings.includes(each.column)
      ? termOf({ operator: OPERATORS[each.op], operands: operandsOf(each) })
      : '',
  );
  const [term = ''] = terms;
  return terms.every((each) => each === term) ? term : '';
}

import { type ColumnCondition, type Condition, operandsOf } from '../condition/condition.ts';
import { OPERATORS, type Operator } from '../condition/operators.ts';
import type { Kind, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { columnOf, type ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Chunk } from '../state/chunk.ts';
import { type Entry, valueReader } from '../state/entry.ts';
import { emptyMask, intersect, type Mask, unite } from '../state/mask.ts';
import { fold } from '../text/case-folding.ts';
import { substringTest } from '../text/substring.ts';

/** Tests a row. */
type Test = (entry: Entry) => boolean;

/** One of the conditions that must all be true. */
export interface Criterion {
  /**
   * Removes from a mask the rows of a chunk for which the condition cannot be true. Returns whether
   * the remaining rows must be tested.
   */
  readonly narrow: (chunk: Chunk, rows: Mask) => boolean;
  readonly test: Test;
  /** How many conditions `test` evaluates at most, each group included. */
  readonly evaluations: number;
}

/**
 * Compiles checked conditions, all of which must be true.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, each condition is compiled to one of two tests, "is true" or
 * "is false", and `not` swaps them. For null, most conditions are unknown, so both tests fail
 * (README: "Conditions").
 */
export function compile(
  schema: ResolvedSchema,
  conditions: readonly Condition[],
): readonly Criterion[] {
  return conditions.flatMap((each) => criteriaOf(schema, each, true));
}

/** Compiles a condition to criteria that must all hold for it to have the result `wanted`. */
function criteriaOf(
  schema: ResolvedSchema,
  condition: Condition,
  wanted: boolean,
): readonly Criterion[] {
  if (condition.op === 'not') return criteriaOf(schema, condition.condition, !wanted);
  if (!isGroup(condition)) return [columnCriterion(schema, condition, wanted)];
  if (isConjunction(condition, wanted)) {
    return condition.conditions.flatMap((each) => criteriaOf(schema, each, wanted));
  }
  const test = testOf(schema, condition, wanted);
  return [{ narrow: () => true, test, evaluations: evaluationsIn(condition) }];
}

type Group = Extract<Condition, { readonly op: 'and' | 'or' }>;

/** By the operator, which was checked: untrusted conditions may have other members as well. */
function isGroup(condition: Condition): condition is Group {
  return condition.op === 'and' || condition.op === 'or';
}

/** Whether all conditions must have the result. A negated `or` is an `and` of negations (De Morgan). */
function isConjunction({ op }: Group, wanted: boolean): boolean {
  return (op === 'and') === wanted;
}

function evaluationsIn(condition: Condition): number {
  if (condition.op === 'not') return evaluationsIn(condition.condition);
  if (!isGroup(condition)) return 1;
  return condition.conditions.reduce((sum, each) => sum + evaluationsIn(each), 1);
}

function testOf(schema: ResolvedSchema, condition: Condition, wanted: boolean): Test {
  if (condition.op === 'not') return testOf(schema, condition.condition, !wanted);
  if (!isGroup(condition)) return columnCriterion(schema, condition, wanted).test;
  const isAll = isConjunction(condition, wanted);
  const search = wanted && !isAll ? sharedTermTest(schema, condition.conditions) : undefined;
  if (search) return search;
  const tests = condition.conditions.map((each) => testOf(schema, each, wanted));
  // A loop, because nested calls would exhaust the stack.
  return (entry) => {
    for (const test of tests) if (test(entry) !== isAll) return !isAll;
    return isAll;
  };
}

/**
 * Creates one test of conditions that all look for the same text, ignoring case; undefined if any
 * does not. It takes two thirds of the time of their own tests.
 */
function sharedTermTest(
  { texts }: ResolvedSchema,
  conditions: readonly Condition[],
): Test | undefined {
  const indexes: number[] = [];
  const terms = new Set<string>();
  for (const each of conditions) {
    if (each.op !== 'containsIgnoreCase') return undefined;
    indexes.push(texts.indexOf(each.column));
    terms.add(each.value);
  }
  const [value, ...others] = terms;
  if (value === undefined || others.length > 0) return undefined;
  const hasTerm = substringTest(fold(value));
  return ({ foldings }) => {
    for (const index of indexes) {
      const folding = foldings[index];
      if (typeof folding === 'string' && hasTerm(folding)) return true;
    }
    return false;
  };
}

/** Compiles a condition on a column. */
function columnCriterion(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
): Criterion {
  const { op, column } = condition;
  const { kind } = columnOf(schema, column);
  const operator: Operator = OPERATORS[op];
  const { ignoresCase = false } = operator;
  const given = operandsOf(condition);
  const operands = ignoresCase ? given.map((each) => fold(String(each))) : given;
  const holds = operator.test(operands, comparatorOf(kind));
  const resultForNull = operator.resultForNull?.(operands) === wanted;
  const fits = (value: Value | null) => (value === null ? resultForNull : holds(value) === wanted);
  const read = valueReader(schema, column, ignoresCase);
  return {
    test: (entry) => fits(read(entry)),
    evaluations: 1,
    // Sections have texts, not their foldings.
    narrow: ignoresCase ? () => true : narrowing(column, kind, operator, fits),
  };
}

/**
 * Keeps the sections whose values may fit. Rows between two values are tested, unless the operator is
 * monotonic and the result is the same for both, neither of which is null.
 */
function narrowing(
  column: string,
  kind: Kind,
  { isMonotonic }: Operator,
  fits: (value: Value | null) => boolean,
): Criterion['narrow'] {
  return (chunk, rows) => {
    const sections = chunk.sectionsOf(column, kind);
    if (!sections) return true;
    const kept = emptyMask();
    let needsTest = false;
    for (const section of sections) {
      const { first, last } = section;
      const isFitting = fits(first);
      const endsDecide = isMonotonic && first !== null && fits(last) === isFitting;
      const isKnown = first === last || endsDecide;
      if (!isKnown) needsTest = true;
      if (!isKnown || isFitting) unite(kept, section.rows);
    }
    intersect(rows, kept);
    return needsTest;
  };
}

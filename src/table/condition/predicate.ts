import { ConditionError } from '../errors.ts';
import type { Kind } from '../schema/column.ts';
import { comparatorOf } from '../schema/compare.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { asciiMatcher } from '../text/ascii-matcher.ts';
import { fold } from '../text/case-folding.ts';
import { type ColumnCondition, type Condition, operandsOf } from './condition.ts';
import { OPERATORS, type Operator } from './operators.ts';

/** The folded texts of rows, kept beside them. */
export interface FoldedRows {
  /**
   * Returns the folded text at a position, of a column given by its index among the folded ones;
   * undefined if the text is ASCII.
   */
  folded(column: number, at: number): string | undefined;
}

/**
 * Returns whether a row matches; undefined if that is not known yet: ask again, perhaps after a
 * pause. `page` and `at`, its position in the page, locate the folded texts of the row.
 */
export type Predicate = (row: StoredRow, page: FoldedRows, at: number) => boolean | undefined;

/**
 * Compiles checked conditions, all of which must be true, into one closure.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, a condition is compiled to either of two tests, "is true" or
 * "is false", and `not` swaps them. Of null, most conditions are neither: docs/table.md has the
 * truth tables.
 */
export function compile(layout: Layout, conditions: readonly Condition[]): Predicate {
  return compileCondition(layout, { op: 'and', conditions }, true);
}

/**
 * Compiles a checked condition.
 *
 * @param wanted whether the condition must be true; otherwise, it must be false
 */
export function compileCondition(layout: Layout, condition: Condition, wanted: boolean): Predicate {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const all = condition.conditions.map((each) => compileCondition(layout, each, wanted));
      return (condition.op === 'and') === wanted ? every(all) : some(all);
    }
    case 'not':
      return compileCondition(layout, condition.condition, !wanted);
    default:
      return columnTest(layout, condition, wanted);
  }
}

const always: Predicate = () => true;
const never: Predicate = () => false;

/** Calls many predicates in a loop, because nested calls would exhaust the stack. */
function every(predicates: readonly Predicate[]): Predicate {
  const [a = always, b, ...others] = predicates;
  if (!b) return a;
  if (others.length === 0) return (row, page, at) => a(row, page, at) && b(row, page, at);
  return (row, page, at) => {
    for (const holds of predicates) {
      const answer = holds(row, page, at);
      if (!answer) return answer;
    }
    return true;
  };
}

function some(predicates: readonly Predicate[]): Predicate {
  if (predicates.length === 1) return predicates[0] ?? never;
  return (row, page, at) => {
    for (const holds of predicates) {
      const answer = holds(row, page, at);
      if (answer !== false) return answer;
    }
    return false;
  };
}

/** @param wanted whether the condition must be true; otherwise, it must be false */
function columnTest(layout: Layout, condition: ColumnCondition, wanted: boolean): Predicate {
  const { op, column } = condition;
  const operands = operandsOf(condition);
  const { test, ofNull, isSlow }: Operator = OPERATORS[op];
  const matchesNull = ofNull?.(operands) === wanted;
  const index = op === 'containsIgnoreCase' ? layout.texts.indexOf(column) : -1;
  if (index >= 0) return foldedTest(column, index, fold(String(operands[0])), wanted);
  const holds = test(operands, comparatorOf(kindOf(layout, column)));
  const matches = (row: StoredRow) => {
    const value = row[column] ?? null;
    return value === null ? matchesNull : holds(value) === wanted;
  };
  return isSlow ? inTwoSteps(matches) : matches;
}

/** Answers only when asked a second time about a row, so that there can be a pause before. */
function inTwoSteps(matches: (row: StoredRow) => boolean): Predicate {
  let asked: StoredRow | undefined;
  let answer = false;
  return (row) => {
    if (row === asked) return answer;
    answer = matches(row);
    asked = row;
    return undefined;
  };
}

/** Returns whether a row matches, however long that takes. */
export function decide(test: Predicate, row: StoredRow, page: FoldedRows, at: number): boolean {
  for (;;) {
    const answer = test(row, page, at);
    if (answer !== undefined) return answer;
  }
}

/** Tests a column whose folded texts are kept beside the rows. */
function foldedTest(column: string, index: number, needle: string, wanted: boolean): Predicate {
  const isInAscii = asciiMatcher(needle);
  return (row, page, at) => {
    const text = row[column];
    if (typeof text !== 'string') return false;
    return (page.folded(index, at)?.includes(needle) ?? isInAscii(text)) === wanted;
  };
}

function kindOf(layout: Layout, name: string): Kind {
  const column = layout.columns.get(name);
  if (!column) throw new ConditionError(`there is no column ${JSON.stringify(name)}`);
  return column.kind;
}

/**
 * The memory of a condition from its parsing to its end, of each operand, and of each character of
 * a text, in bytes: measured with 510 filters of each operator, and rounded up.
 */
const BYTES_PER_CONDITION = 2_500;
const BYTES_PER_OPERAND = 120;
const BYTES_PER_CHARACTER = 10;

/** Returns the memory that compiled conditions hold, in bytes. */
export function bytesOf(conditions: readonly Condition[]): number {
  return conditions.reduce((bytes, condition) => bytes + bytesOfOne(condition), 0);
}

function bytesOfOne(condition: Condition): number {
  if ('conditions' in condition) return bytesOf(condition.conditions);
  if ('condition' in condition) return bytesOfOne(condition.condition);
  let bytes = BYTES_PER_CONDITION;
  for (const operand of operandsOf(condition)) {
    const characters = typeof operand === 'string' ? operand.length : 0;
    bytes += BYTES_PER_OPERAND + characters * BYTES_PER_CHARACTER;
  }
  return bytes;
}

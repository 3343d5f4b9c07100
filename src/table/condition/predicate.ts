import type { StoredRow } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import type { Layout } from '../schema/layout.ts';
import { asciiMatcher, fold } from '../text/case-folding.ts';
import { type ColumnCondition, type Condition, operandsOf } from './condition.ts';
import { OPERATORS, type Operator } from './operators.ts';

/** The folded texts of the rows of a page, kept beside them. */
export interface FoldedTexts {
  /**
   * Returns the folded text at a position, of a column given by its index among the folded ones;
   * undefined if the text is ASCII.
   */
  folded(column: number, at: number): string | undefined;
}

/**
 * Returns whether a row matches; undefined if that is not known yet: ask again, perhaps after a
 * pause. `at` is the position of the row in its page, which has the folded texts.
 */
export type Predicate = (row: StoredRow, texts: FoldedTexts, at: number) => boolean | undefined;

/**
 * Compiles checked conditions, all of which must be true, into one closure.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, a condition is compiled to either of two tests, "is true" or
 * "is false", and `not` swaps them. Of null, most conditions are neither (table.md: "Null").
 */
export function compile(layout: Layout, conditions: readonly Condition[]): Predicate {
  return compileCondition(layout, { op: 'and', conditions }, true);
}

/** Compiles a checked condition, which must be true (or false, if so wanted). */
export function compileCondition(layout: Layout, condition: Condition, wanted: boolean): Predicate {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((each) => compileCondition(layout, each, wanted));
      return combined(parts, (condition.op === 'and') === wanted);
    }
    case 'not':
      return compileCondition(layout, condition.condition, !wanted);
    default:
      return columnTest(layout, condition, wanted);
  }
}

/** Tests all predicates, or any. A loop, because nested calls would exhaust the stack. */
function combined(predicates: readonly Predicate[], isAll: boolean): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  return (row, texts, at) => {
    for (const holds of predicates) {
      const answer = holds(row, texts, at);
      if (answer !== isAll) return answer;
    }
    return isAll;
  };
}

function columnTest(layout: Layout, condition: ColumnCondition, wanted: boolean): Predicate {
  const { op, column } = condition;
  const operands = operandsOf(condition);
  const { test, ofNull, isSlow }: Operator = OPERATORS[op];
  const matchesNull = ofNull?.(operands) === wanted;
  const index = op === 'containsIgnoreCase' ? layout.texts.indexOf(column) : -1;
  if (index >= 0) return foldedTest(column, index, fold(String(operands[0])), wanted);
  const holds = test(operands, comparatorOf(layout.columns.get(column)?.kind ?? 'text'));
  const matches = (row: StoredRow) => {
    const value = row[column] ?? null;
    return value === null ? matchesNull : holds(value) === wanted;
  };
  return isSlow?.(operands) ? inTwoSteps(matches) : matches;
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
export function decide(test: Predicate, row: StoredRow, texts: FoldedTexts, at: number): boolean {
  for (;;) {
    const answer = test(row, texts, at);
    if (answer !== undefined) return answer;
  }
}

/** Tests a column whose folded texts are kept beside the rows. */
function foldedTest(column: string, index: number, needle: string, wanted: boolean): Predicate {
  const isInAscii = asciiMatcher(needle);
  return (row, texts, at) => {
    const text = row[column];
    if (typeof text !== 'string') return false;
    return (texts.folded(index, at)?.includes(needle) ?? isInAscii(text)) === wanted;
  };
}

import { ConditionError } from '../errors.ts';
import type { Kind } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { asciiMatcher } from '../text/ascii-matcher.ts';
import { fold } from '../text/case-folding.ts';
import type { ColumnCondition, Condition, NullTest } from './condition.ts';
import { valuePredicate } from './value-predicate.ts';

/** The folded texts of rows, kept beside them. */
export interface FoldedRows {
  /**
   * Returns the folded text at a position, of a column given by its index among the folded ones;
   * undefined if the text is ASCII.
   */
  folded(column: number, at: number): string | undefined;
}

/**
 * Returns whether a row matches. `page` and `at`, its position in the page, locate the folded texts
 * of the row.
 */
export type Predicate = (row: StoredRow, page: FoldedRows, at: number) => boolean;

/**
 * Compiles checked conditions, all of which must be true, into one closure.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, two functions call each other: one compiles "is true", the
 * other "is false", and `not` swaps them. A condition on a column that is null is neither.
 * docs/table.md has the truth tables.
 */
export function compile(layout: Layout, conditions: readonly Condition[]): Predicate {
  return isTrue(layout, { op: 'and', conditions });
}

/** Compiles a condition on a column: whether it is true or, if so wanted, whether it is false. */
export function compileLeaf(
  layout: Layout,
  condition: ColumnCondition,
  wanted: boolean,
): Predicate {
  return wanted ? columnIsTrue(layout, condition) : columnIsFalse(layout, condition);
}

function isTrue(layout: Layout, condition: Condition): Predicate {
  switch (condition.op) {
    case 'and':
      return every(condition.conditions.map((each) => isTrue(layout, each)));
    case 'or':
      return some(condition.conditions.map((each) => isTrue(layout, each)));
    case 'not':
      return isFalse(layout, condition.condition);
    default:
      return columnIsTrue(layout, condition);
  }
}

function isFalse(layout: Layout, condition: Condition): Predicate {
  switch (condition.op) {
    case 'and':
      return some(condition.conditions.map((each) => isFalse(layout, each)));
    case 'or':
      return every(condition.conditions.map((each) => isFalse(layout, each)));
    case 'not':
      return isTrue(layout, condition.condition);
    default:
      return columnIsFalse(layout, condition);
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
    for (const holds of predicates) if (!holds(row, page, at)) return false;
    return true;
  };
}

function some(predicates: readonly Predicate[]): Predicate {
  const [a = never, b, ...others] = predicates;
  if (!b) return a;
  if (others.length === 0) return (row, page, at) => a(row, page, at) || b(row, page, at);
  return (row, page, at) => {
    for (const holds of predicates) if (holds(row, page, at)) return true;
    return false;
  };
}

function columnIsTrue(layout: Layout, condition: ColumnCondition): Predicate {
  const { column } = condition;
  if (isEmptyList(condition)) return condition.op === 'in' ? never : always;
  if (isNullTest(condition)) {
    const wantsNull = condition.op === 'isNull';
    return (row) => (row[column] === null) === wantsNull;
  }
  if (condition.op === 'containsIgnoreCase' && layout.texts.includes(column)) {
    const position = layout.texts.indexOf(column);
    const needle = fold(condition.value);
    const isInAscii = asciiMatcher(needle);
    return (row, page, at) => {
      const text = row[column];
      if (typeof text !== 'string') return false;
      return page.folded(position, at)?.includes(needle) ?? isInAscii(text);
    };
  }
  const holds = valuePredicate(kindOf(layout, column), condition);
  return (row) => {
    const value = row[column] ?? null;
    return value !== null && holds(value);
  };
}

function columnIsFalse(layout: Layout, condition: ColumnCondition): Predicate {
  const { column } = condition;
  if (isEmptyList(condition)) return condition.op === 'in' ? always : never;
  const holds = columnIsTrue(layout, condition);
  if (isNullTest(condition)) return (row, page, at) => !holds(row, page, at);
  return (row, page, at) => row[column] !== null && !holds(row, page, at);
}

/** `in` is an `or` of `eq`, so with an empty list it is false, not unknown, even for null. */
function isEmptyList(condition: ColumnCondition): boolean {
  return (condition.op === 'in' || condition.op === 'notIn') && condition.values.length === 0;
}

function isNullTest(condition: ColumnCondition): condition is NullTest {
  return condition.op === 'isNull' || condition.op === 'isNotNull';
}

function kindOf(layout: Layout, name: string): Kind {
  const column = layout.columns.get(name);
  if (!column) throw new ConditionError(`there is no column ${JSON.stringify(name)}`);
  return column.kind;
}

import { ConditionError } from '../errors.ts';
import type { Kind } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { Page } from '../storage/page.ts';
import { fold } from '../text/case-folding.ts';
import type { Condition, Leaf, NullTest } from './condition.ts';
import { valueTest } from './value-predicate.ts';

/** Whether a row is wanted. `page` and `at` say where it lies, for what is kept beside it. */
export type Test = (row: StoredRow, page: Page, at: number) => boolean;

/**
 * Compiles checked conditions, which must all hold, into one closure.
 *
 * SQL's logic has three values, but a query wants only what is true. So instead of computing with
 * unknown, two functions call each other: one compiles "is true", the other "is false", and `not`
 * changes from one to the other. On a leaf whose column is null, neither holds. docs/table.md
 * has the truth tables.
 */
export function compile(layout: Layout, conditions: readonly Condition[]): Test {
  return isTrue(layout, { op: 'and', conditions });
}

function isTrue(layout: Layout, condition: Condition): Test {
  switch (condition.op) {
    case 'and':
      return every(condition.conditions.map((each) => isTrue(layout, each)));
    case 'or':
      return some(condition.conditions.map((each) => isTrue(layout, each)));
    case 'not':
      return isFalse(layout, condition.condition);
    default:
      return leafIsTrue(layout, condition);
  }
}

function isFalse(layout: Layout, condition: Condition): Test {
  switch (condition.op) {
    case 'and':
      return some(condition.conditions.map((each) => isFalse(layout, each)));
    case 'or':
      return every(condition.conditions.map((each) => isFalse(layout, each)));
    case 'not':
      return isTrue(layout, condition.condition);
    default:
      return leafIsFalse(layout, condition);
  }
}

const always: Test = () => true;
const never: Test = () => false;

/** Of many, each is called from here: calls within calls would exhaust the stack. */
function every(tests: readonly Test[]): Test {
  const [a = always, b, ...others] = tests;
  if (!b) return a;
  if (others.length === 0) return (row, page, at) => a(row, page, at) && b(row, page, at);
  return (row, page, at) => {
    for (const test of tests) if (!test(row, page, at)) return false;
    return true;
  };
}

function some(tests: readonly Test[]): Test {
  const [a = never, b, ...others] = tests;
  if (!b) return a;
  if (others.length === 0) return (row, page, at) => a(row, page, at) || b(row, page, at);
  return (row, page, at) => {
    for (const test of tests) if (test(row, page, at)) return true;
    return false;
  };
}

function leafIsTrue(layout: Layout, leaf: Leaf): Test {
  const { column } = leaf;
  if (isEmptyList(leaf)) return leaf.op === 'in' ? never : always;
  if (isNullTest(leaf)) {
    const wantsNull = leaf.op === 'isNull';
    return (row) => (row[column] === null) === wantsNull;
  }
  if (leaf.op === 'containsIgnoreCase' && layout.foldedColumns.includes(column)) {
    const position = layout.foldedColumns.indexOf(column);
    const needle = fold(leaf.value);
    return (_row, page, at) => page.folded(position, at)?.includes(needle) === true;
  }
  const holds = valueTest(kindOf(layout, column), leaf);
  return (row) => {
    const value = row[column] ?? null;
    return value !== null && holds(value);
  };
}

function leafIsFalse(layout: Layout, leaf: Leaf): Test {
  const { column } = leaf;
  if (isEmptyList(leaf)) return leaf.op === 'in' ? always : never;
  const holds = leafIsTrue(layout, leaf);
  if (isNullTest(leaf)) return (row, page, at) => !holds(row, page, at);
  return (row, page, at) => row[column] !== null && !holds(row, page, at);
}

/** `in` is an `or` of `eq`: with nothing listed it is false, not unknown, also for null. */
function isEmptyList(leaf: Leaf): boolean {
  return (leaf.op === 'in' || leaf.op === 'notIn') && leaf.values.length === 0;
}

function isNullTest(leaf: Leaf): leaf is NullTest {
  return leaf.op === 'isNull' || leaf.op === 'isNotNull';
}

function kindOf(layout: Layout, name: string): Kind {
  const column = layout.columns.get(name);
  if (!column) throw new ConditionError(`there is no column ${JSON.stringify(name)}`);
  return column.kind;
}

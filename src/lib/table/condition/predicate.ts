import type { StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';
import { type ColumnCondition, type Condition, operandsOf } from './condition.ts';
import { OPERATORS, type Operator } from './operators.ts';

/**
 * Returns whether a row, whose texts may be irregular ({@link Page.irregular}), matches; undefined
 * if that is not known yet: ask again, perhaps after a pause.
 */
export type Predicate = (row: StoredRow, isIrregular: boolean) => boolean | undefined;

/** A text of so many UTF-16 units is looked up before rows are tested. */
const SHORTEST_PROBABLE = 3;

/**
 * Compiles checked conditions, all of which must be true, into one closure.
 *
 * SQL has three-valued logic, but a query needs only the rows for which the conditions are true.
 * Instead of computing with unknown, a condition is compiled to either of two tests, "is true" or
 * "is false", and `not` swaps them. Of null, most conditions are neither (table.md: "Null").
 */
export function compile(schema: ResolvedSchema, conditions: readonly Condition[]): Predicate {
  return predicateOf(schema, { op: 'and', conditions }, true);
}

function predicateOf(schema: ResolvedSchema, condition: Condition, wanted: boolean): Predicate {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const search = condition.op === 'or' && wanted && textSearch(condition.conditions);
      if (search) return search;
      const parts = condition.conditions.map((each) => predicateOf(schema, each, wanted));
      return combined(parts, (condition.op === 'and') === wanted);
    }
    case 'not':
      return predicateOf(schema, condition.condition, !wanted);
    default:
      return columnTest(schema, condition, wanted);
  }
}

/** Makes the test whether any of some columns contains one text, if that is what is asked. */
function textSearch(conditions: readonly Condition[]): Predicate | undefined {
  const columns: string[] = [];
  const needles = new Set<string>();
  for (const each of conditions) {
    if (each.op !== 'containsIgnoreCase') return undefined;
    columns.push(each.column);
    needles.add(each.value);
  }
  const [value = ''] = needles;
  if (needles.size !== 1) return undefined;
  const needle = fold(value);
  // A row that is tested for a longer one contains it probably, in lower case and in one column.
  const isProbable = needle.length >= SHORTEST_PROBABLE;
  const matches = ignoringCase(needle, isProbable);
  return (row, isIrregular) => {
    for (let i = 0; isProbable && i < columns.length; i++) {
      const text = row[columns[i] ?? ''];
      if (typeof text === 'string' && text.includes(needle)) return true;
    }
    for (const column of columns) {
      const text = row[column];
      if (typeof text === 'string' && matches(text, isIrregular)) return true;
    }
    return false;
  };
}

/** Tests all predicates, or any. A loop, because nested calls would exhaust the stack. */
function combined(predicates: readonly Predicate[], isAll: boolean): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  return (row, isIrregular) => {
    for (const holds of predicates) {
      const answer = holds(row, isIrregular);
      if (answer !== isAll) return answer;
    }
    return isAll;
  };
}

function columnTest(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
): Predicate {
  const { column } = condition;
  const { holds, ofNull, isSlow } = valueTest(schema, condition, wanted);
  const matches = (row: StoredRow, isIrregular: boolean) => {
    const value = row[column] ?? null;
    return value === null ? ofNull : holds(value, isIrregular) === wanted;
  };
  return isSlow ? inTwoSteps(matches) : matches;
}

/** Answers only when asked a second time about a row, so that there can be a pause before. */
function inTwoSteps(matches: (row: StoredRow, isIrregular: boolean) => boolean): Predicate {
  let asked: StoredRow | undefined;
  let answer = false;
  return (row, isIrregular) => {
    if (row === asked) return answer;
    answer = matches(row, isIrregular);
    asked = row;
    return undefined;
  };
}

/** Makes the test whether a condition is true of a value (or false, if so wanted). */
export function compileForValues(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
): (value: Value | null) => boolean {
  const { holds, ofNull } = valueTest(schema, condition, wanted);
  return (value) => (value === null ? ofNull : holds(value) === wanted);
}

/** Returns the test of values, and whether null is as wanted. */
function valueTest(schema: ResolvedSchema, condition: ColumnCondition, wanted: boolean) {
  const operands = operandsOf(condition);
  const { test, ofNull, isSlow }: Operator = OPERATORS[condition.op];
  const { kind = 'text' } = schema.columns.get(condition.column) ?? {};
  return {
    holds: test(operands, comparatorOf(kind)),
    ofNull: ofNull?.(operands) === wanted,
    isSlow: isSlow?.(operands),
  };
}

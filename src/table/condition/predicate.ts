import type { StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { fold } from '../text/case-folding.ts';
import { type ColumnCondition, type Condition, operandsOf } from './condition.ts';
import { OPERATORS, type Operator } from './operators.ts';

/**
 * Returns whether a row matches; undefined if that is not known yet: ask again, perhaps after a
 * pause.
 */
export type Predicate = (row: StoredRow) => boolean | undefined;

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
      const { conditions } = condition;
      const isAll = (condition.op === 'and') === wanted;
      const parts = conditions.map((each) => predicateOf(schema, each, wanted));
      return combined(isAll || !wanted ? parts : [...exactly(schema, conditions), ...parts], isAll);
    }
    case 'not':
      return predicateOf(schema, condition.condition, !wanted);
    default: {
      const { column } = condition;
      const test = valueTest(schema, condition, wanted);
      const matches = (row: StoredRow) => test(row[column] ?? null);
      const { isSlow }: Operator = OPERATORS[condition.op];
      return isSlow?.(operandsOf(condition)) ? inTwoSteps(matches) : matches;
    }
  }
}

/**
 * Tests first whether the columns contain the texts in lower case, if the conditions ignore case:
 * most texts that match at all do, and to fold one takes longer.
 */
function exactly(schema: ResolvedSchema, conditions: readonly Condition[]): Predicate[] {
  if (conditions.length === 1) return [];
  return conditions.flatMap((each) =>
    each.op === 'containsIgnoreCase'
      ? predicateOf(schema, { ...each, op: 'contains', value: fold(each.value) }, true)
      : [],
  );
}

/** Tests all predicates, or any. A loop, because nested calls would exhaust the stack. */
function combined(predicates: readonly Predicate[], isAll: boolean): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  return (row) => {
    for (const holds of predicates) {
      const answer = holds(row);
      if (answer !== isAll) return answer;
    }
    return isAll;
  };
}

/** Makes the test whether a condition is true of a value (or false, if so wanted). */
export function valueTest(
  schema: ResolvedSchema,
  condition: ColumnCondition,
  wanted: boolean,
): (value: Value | null) => boolean {
  const operands = operandsOf(condition);
  const { test, ofNull }: Operator = OPERATORS[condition.op];
  const ofNulls = ofNull?.(operands) === wanted;
  const holds = test(
    operands,
    comparatorOf(schema.columns.get(condition.column)?.kind ?? 'text'),
  );
  return (value) => (value === null ? ofNulls : holds(value) === wanted);
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
export function decide(test: Predicate, row: StoredRow): boolean {
  for (;;) {
    const answer = test(row);
    if (answer !== undefined) return answer;
  }
}

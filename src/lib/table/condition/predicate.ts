import type { Column, StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';
import type { Condition } from './condition.ts';
import type { Operator } from './operators.ts';

/**
 * Tests a row, whose texts may be irregular ({@link Page.irregular}); undefined if it is not known
 * yet whether it matches: ask again, perhaps after a pause.
 */
export type Predicate = (row: StoredRow, isIrregular: boolean) => boolean | undefined;

/** A text of so many UTF-16 units is looked up before rows are tested. */
const SHORTEST_PROBABLE = 3;

/** A checked condition on a column, which must be true (or false, if so wanted). */
export interface Leaf {
  readonly name: string;
  readonly column: Column;
  readonly operator: Operator;
  readonly operands: readonly Value[];
  readonly wanted: boolean;
}

/** Makes the test of rows by a condition on a column. */
export function rowTest(leaf: Leaf): Predicate {
  const { name, operator, operands } = leaf;
  const fits = valueTest(leaf);
  const matches = (row: StoredRow, isIrregular: boolean) => fits(row[name] ?? null, isIrregular);
  return operator.isSlow?.(operands) ? inTwoSteps(matches) : matches;
}

/** Makes the test of values by a condition on a column. Most are neither true nor false of null. */
export function valueTest(leaf: Leaf): (value: Value | null, isIrregular?: boolean) => boolean {
  const { column, operator, operands, wanted } = leaf;
  const holds = operator.test(operands, comparatorOf(column.kind));
  const ofNull = operator.ofNull?.(operands) === wanted;
  return (value, isIrregular) => (value === null ? ofNull : holds(value, isIrregular) === wanted);
}

/** Tests all predicates, or any. A loop, because nested calls would exhaust the stack. */
export function combined(predicates: readonly Predicate[], isAll: boolean): Predicate {
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

/** Makes the test whether any of some columns contains one text, if conditions ask for that. */
export function textSearch(conditions: readonly Condition[]): Predicate | undefined {
  const columns: string[] = [];
  const needles = new Set<string>();
  for (const each of conditions) {
    if (each.op !== 'containsIgnoreCase') return undefined;
    columns.push(each.column);
    needles.add(fold(each.value));
  }
  const [needle, other] = needles;
  if (needle === undefined || other !== undefined) return undefined;
  // A row that is tested for a longer needle probably contains it as it is, in some column.
  const isProbable = needle.length >= SHORTEST_PROBABLE;
  const matches = ignoringCase(needle, isProbable);
  return (row, isIrregular) => {
    if (isProbable) {
      for (const column of columns) {
        const text = row[column];
        if (typeof text === 'string' && text.includes(needle)) return true;
      }
    }
    for (const column of columns) {
      const text = row[column];
      if (typeof text === 'string' && matches(text, isIrregular)) return true;
    }
    return false;
  };
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

import type { Column, StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';
import type { Condition } from './condition.ts';
import type { Operator } from './operators.ts';

/** Tests a row. `isIrregular` is false if none of its texts is irregular ({@link isIrregular}). */
export type Predicate = (row: StoredRow, isIrregular: boolean) => boolean;

/** A text of so many UTF-16 units is looked up before rows are tested. */
const SHORTEST_PROBABLE = 3;

/** A checked condition on a column, which must be true (or false, if so wanted). */
export interface ColumnTest {
  readonly name: string;
  readonly column: Column;
  readonly operator: Operator;
  readonly operands: readonly Value[];
  readonly wanted: boolean;
}

/** Makes the test of rows by a condition on a column. */
export function rowTest(test: ColumnTest): Predicate {
  const { name } = test;
  const fits = valueTest(test);
  return (row, isIrregular) => fits(row[name] ?? null, isIrregular);
}

/** Makes the test of values by a condition on a column. Most are neither true nor false of null. */
export function valueTest(
  test: ColumnTest,
): (value: Value | null, isIrregular?: boolean) => boolean {
  const { column, operator, operands, wanted } = test;
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
      if (holds(row, isIrregular) !== isAll) return !isAll;
    }
    return isAll;
  };
}

/** Makes the test whether any of some columns contains one text, if conditions ask for that. */
export function textSearch(conditions: readonly Condition[]): Predicate | undefined {
  const columns: string[] = [];
  const needles = new Set<string>();
  for (let i = 0; i < conditions.length; i++) {
    const each = conditions[i];
    if (each?.op !== 'containsIgnoreCase') return undefined;
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
      for (let i = 0; i < columns.length; i++) {
        const text = row[columns[i] ?? ''];
        if (typeof text === 'string' && text.includes(needle)) return true;
      }
    }
    for (let i = 0; i < columns.length; i++) {
      const text = row[columns[i] ?? ''];
      if (typeof text === 'string' && matches(text, isIrregular)) return true;
    }
    return false;
  };
}

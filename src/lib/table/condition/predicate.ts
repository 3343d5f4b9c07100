import type { Column, StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';
import type { Condition } from './condition.ts';
import type { Operator } from './operators.ts';

/** Tests a row. @param foldsToAscii whether any text of the row {@link foldsToAscii} */
export type Predicate = (row: StoredRow, foldsToAscii: boolean) => boolean;

/** Search terms of at least this many UTF-16 units are looked up before rows are tested. */
const SHORTEST_PROBABLE = 3;

/** A checked condition on a column, which must be true or false: the value of `wanted`. */
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
  return (row, foldsToAscii) => fits(row[name] ?? null, foldsToAscii);
}

/** Makes the test of values by a condition on a column. For null, most conditions are unknown. */
export function valueTest(
  test: ColumnTest,
): (value: Value | null, foldsToAscii?: boolean) => boolean {
  const { column, operator, operands, wanted } = test;
  const holds = operator.test(operands, comparatorOf(column.kind));
  const resultForNull = operator.resultForNull?.(operands) === wanted;
  return (value, foldsToAscii) =>
    value === null ? resultForNull : holds(value, foldsToAscii) === wanted;
}

/** Tests all predicates, or any. A loop, because nested calls would exhaust the stack. */
export function combined(predicates: readonly Predicate[], isAll: boolean): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  return (row, foldsToAscii) => {
    for (const holds of predicates) {
      if (holds(row, foldsToAscii) !== isAll) return !isAll;
    }
    return isAll;
  };
}

/** Makes one test for conditions that search several columns for the same text, else undefined. */
export function textSearch(conditions: readonly Condition[]): Predicate | undefined {
  const columns: string[] = [];
  const terms = new Set<string>();
  for (let i = 0; i < conditions.length; i++) {
    const each = conditions[i];
    if (each?.op !== 'containsIgnoreCase') return undefined;
    columns.push(each.column);
    terms.add(fold(each.value));
  }
  const [term, other] = terms;
  if (term === undefined || other !== undefined) return undefined;
  // A row that is tested for a longer term probably contains it in the same case.
  const isProbable = term.length >= SHORTEST_PROBABLE;
  const matches = ignoringCase(term, isProbable);
  return (row, foldsToAscii) => {
    if (isProbable) {
      for (let i = 0; i < columns.length; i++) {
        const text = row[columns[i] ?? ''];
        if (typeof text === 'string' && text.includes(term)) return true;
      }
    }
    for (let i = 0; i < columns.length; i++) {
      const text = row[columns[i] ?? ''];
      if (typeof text === 'string' && matches(text, foldsToAscii)) return true;
    }
    return false;
  };
}

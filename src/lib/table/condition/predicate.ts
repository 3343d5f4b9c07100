import type { Column, StoredRow, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/kinds.ts';
import { fold, ignoringCase } from '../text/case-folding.ts';
import type { Condition } from './condition.ts';
import type { Operator } from './operators.ts';

/** Tests a row. */
export type Predicate = (row: StoredRow) => boolean;

/** Texts of at least this many UTF-16 units are looked up before rows are tested. */
const SHORTEST_LOOKED_UP = 3;

/** A checked condition on a column, and the result that it must have. */
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
  return (row) => fits(row[name] ?? null);
}

/** Makes the test of values by a condition on a column. For null, most conditions are unknown. */
export function valueTest(test: ColumnTest): (value: Value | null) => boolean {
  const { column, operator, operands, wanted } = test;
  const holds = operator.test(operands, comparatorOf(column.kind));
  const resultForNull = operator.resultForNull?.(operands) === wanted;
  return (value) => (value === null ? resultForNull : holds(value) === wanted);
}

/** Combines predicates with `and` or `or`. A loop, because nested calls would exhaust the stack. */
export function combinePredicates(predicates: readonly Predicate[], isAll: boolean): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  return (row) => {
    for (const holds of predicates) {
      if (holds(row) !== isAll) return !isAll;
    }
    return isAll;
  };
}

/** Makes one test of conditions that all search for the same text; undefined if any does not. */
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
  const matches = ignoringCase(term);
  // Tried first, because most rows found by grams contain the term in lower case.
  const triesVerbatim = term.length >= SHORTEST_LOOKED_UP;
  return (row) => {
    if (triesVerbatim) {
      for (let i = 0; i < columns.length; i++) {
        const text = row[columns[i] ?? ''];
        if (typeof text === 'string' && text.includes(term)) return true;
      }
    }
    for (let i = 0; i < columns.length; i++) {
      const text = row[columns[i] ?? ''];
      if (typeof text === 'string' && matches(text)) return true;
    }
    return false;
  };
}

import type { Condition } from '../../../src/table/condition/condition.ts';
import type { SearchOptions } from '../../../src/table/query/search-options.ts';
import type { Value } from '../../../src/table/schema/column.ts';
import { fold } from '../../../src/table/text/case-folding.ts';

/** An SQLite expression and its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number | bigint | null)[];
}

export function sqlValue(value: Value | null): string | number | bigint | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

const COMPARISONS = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * Translates a condition to SQLite, which needs the function `fold` and a case-sensitive `LIKE`.
 */
export function sqlOf(condition: Condition): Sql {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(sqlOf);
      if (parts.length === 0) return { text: condition.op === 'and' ? '1' : '0', values: [] };
      return {
        text: `(${parts.map(({ text }) => text).join(` ${condition.op} `)})`,
        values: parts.flatMap(({ values }) => values),
      };
    }
    case 'not': {
      const { text, values } = sqlOf(condition.condition);
      return { text: `(not ${text})`, values };
    }
    case 'isNull':
      return { text: `(${condition.column} is null)`, values: [] };
    case 'isNotNull':
      return { text: `(${condition.column} is not null)`, values: [] };
    case 'in':
    case 'notIn':
      return {
        text: `(${condition.column} ${condition.op === 'in' ? 'in' : 'not in'} (${condition.values.map(() => '?').join(', ')}))`,
        values: condition.values.map(sqlValue),
      };
    case 'between':
      return {
        text: `(${condition.column} between ? and ?)`,
        values: [sqlValue(condition.from), sqlValue(condition.to)],
      };
    case 'contains':
      return { text: `(instr(${condition.column}, ?) > 0)`, values: [condition.value] };
    case 'containsIgnoreCase':
      return { text: `(instr(fold(${condition.column}), ?) > 0)`, values: [fold(condition.value)] };
    case 'startsWith':
      return {
        text: `(substr(${condition.column}, 1, length(?)) = ?)`,
        values: [condition.value, condition.value],
      };
    case 'endsWith':
      // A substring from 0 would be the whole text.
      return condition.value === ''
        ? { text: `(${condition.column} = ${condition.column})`, values: [] }
        : {
            text: `(substr(${condition.column}, -length(?)) = ?)`,
            values: [condition.value, condition.value],
          };
    case 'like':
      return { text: `(${condition.column} like ? escape '\\')`, values: [condition.value] };
    default:
      return {
        text: `(${condition.column} ${COMPARISONS[condition.op]} ?)`,
        values: [sqlValue(condition.value)],
      };
  }
}

/** Order, limit and offset. */
export function sqlTail({ orderBy = [], limit, offset }: SearchOptions): string {
  const orders = orderBy.map(
    ({ column, direction, nulls }) =>
      `${column} ${direction ?? ''} ${nulls ? `nulls ${nulls}` : ''}`,
  );
  return `order by ${[...orders, 'id'].join(', ')} limit ${limit ?? -1} offset ${offset ?? 0}`;
}

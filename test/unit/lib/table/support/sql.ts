import {
  type ColumnCondition,
  type Condition,
  operandsOf,
} from '../../../../../src/lib/table/condition/condition.ts';
import type { OperatorName } from '../../../../../src/lib/table/condition/operators.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { Value } from '../../../../../src/lib/table/schema/column.ts';

/** An SQLite expression and its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number | bigint | null)[];
}

export function sqlValue(value: Value | null): string | number | bigint | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

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
    default:
      return columnSqlOf(condition);
  }
}

/** Operators in SQL, for a column `c` and the operand `$1`, or `$*` for all. */
const OPERATORS: Readonly<Record<OperatorName, string>> = {
  eq: 'c = $1',
  ne: 'c <> $1',
  gt: 'c > $1',
  gte: 'c >= $1',
  lt: 'c < $1',
  lte: 'c <= $1',
  in: 'c in ($*)',
  notIn: 'c not in ($*)',
  isNull: 'c is null',
  isNotNull: 'c is not null',
  contains: 'instr(c, $1) > 0',
  containsIgnoreCase: 'instr(fold(c), fold($1)) > 0',
  startsWith: 'substr(c, 1, length($1)) = $1',
  endsWith: 'substr(c, length(c) - length($1) + 1) = $1',
};

/** Fills the SQL of an operator with a column and operands. */
function columnSqlOf(condition: ColumnCondition): Sql {
  const operands = operandsOf(condition).map(sqlValue);
  const values: Sql['values'][number][] = [];
  const text = OPERATORS[condition.op].replace(/\bc\b|\$([*\d])/g, (_, operand?: string) => {
    if (operand === undefined) return condition.column;
    const filled = operand === '*' ? operands : [operands[Number(operand) - 1] ?? null];
    values.push(...filled);
    return filled.map(() => '?').join(', ');
  });
  return { text: `(${text})`, values };
}

/** Order, limit and offset. */
export function sqlTail({ orderBy = [], limit, offset }: SearchOptions): string {
  const orders = orderBy.map(({ column, direction = '', ignoreCase }) => {
    return `${ignoreCase ? `fold(${column})` : column} ${direction}`;
  });
  return `order by ${[...orders, 'id'].join(', ')} limit ${limit ?? -1} offset ${offset ?? 0}`;
}

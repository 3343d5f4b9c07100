import {
  type ColumnCondition,
  type Condition,
  operandsOf,
} from '../../../../../src/lib/table/condition/condition.ts';
import { OPERATORS, type Operator } from '../../../../../src/lib/table/condition/operators.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { StoredRow } from '../../../../../src/lib/table/schema/column.ts';
import { fold } from '../../../../../src/lib/table/text/case-folding.ts';

/** In three-valued logic, null is unknown. */
type Truth = boolean | null;
type Value = StoredRow[string];

/** The rows that a search must find. Tests every row and sorts all matches, without an index. */
export function found<R extends StoredRow>(
  rows: readonly R[],
  where: readonly Condition[],
  { orderBy = [], limit = Number.POSITIVE_INFINITY, offset = 0 }: SearchOptions = {},
): R[] {
  const all = rows.filter((row) => truthOf({ op: 'and', conditions: where }, row));
  // The rows are in order of id, and a stable sort keeps the order of rows that tie.
  for (const { column, direction = 'asc', ignoreCase } of orderBy.toReversed()) {
    const compare = ignoreCase ? comparedIgnoringCase : compared;
    const sign = direction === 'asc' ? 1 : -1;
    all.sort(({ [column]: a = null }, { [column]: b = null }) =>
      a === null || b === null
        ? sign * (Number(b === null) - Number(a === null))
        : sign * compare(a, b),
    );
  }
  return all.slice(offset, offset + limit);
}

function truthOf(condition: Condition, row: StoredRow): Truth {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const decisive = condition.op === 'or';
      const truths = condition.conditions.map((each) => truthOf(each, row));
      if (truths.includes(decisive)) return decisive;
      return truths.includes(null) ? null : !decisive;
    }
    case 'not':
      return negated(truthOf(condition.condition, row));
    case 'isNull':
      return row[condition.column] === null;
    case 'isNotNull':
      return row[condition.column] !== null;
    default:
      return truthOfValue(condition, row[condition.column] ?? null);
  }
}

function negated(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function truthOfValue(condition: ColumnCondition, value: Value): Truth {
  if (condition.op === 'in') {
    if (condition.values.length === 0) return false;
    return value === null ? null : condition.values.some((each) => compared(value, each) === 0);
  }
  if (condition.op === 'notIn') return negated(truthOfValue({ ...condition, op: 'in' }, value));
  if (value === null) return null;
  switch (condition.op) {
    case 'eq':
      return compared(value, condition.value) === 0;
    case 'ne':
      return compared(value, condition.value) !== 0;
    case 'gt':
      return compared(value, condition.value) > 0;
    case 'gte':
      return compared(value, condition.value) >= 0;
    case 'lt':
      return compared(value, condition.value) < 0;
    case 'lte':
      return compared(value, condition.value) <= 0;
    case 'contains':
      return String(value).includes(condition.value);
    case 'containsIgnoreCase':
      return fold(String(value)).includes(fold(condition.value));
    case 'startsWith':
      return String(value).startsWith(condition.value);
    case 'endsWith':
      return String(value).endsWith(condition.value);
    default: {
      // SQLite judges the operators that are not here.
      const { test }: Operator = OPERATORS[condition.op];
      return test(operandsOf(condition), compared)(value);
    }
  }
}

/** Texts are ordered as their UTF-8 bytes are. A bigint may equal a number. */
function compared(a: NonNullable<Value>, b: NonNullable<Value>): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return a < b ? -1 : Number(a > b);
}

function comparedIgnoringCase(a: NonNullable<Value>, b: NonNullable<Value>): number {
  return compared(fold(String(a)), fold(String(b)));
}

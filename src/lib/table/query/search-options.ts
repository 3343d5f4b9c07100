import { ConditionError } from '../errors.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';

/** A column to order by. Null is the smallest value, as in SQLite. */
export interface Order<Name extends string = string> {
  readonly column: Name;
  /** Default: `asc`. */
  readonly direction?: 'asc' | 'desc';
  /** Orders texts by their case foldings. Default: by code point. */
  readonly ignoreCase?: boolean;
}

/** The order of the rows, and which slice of them to return. */
export interface SearchOptions<Name extends string = string> {
  /** Columns in order of precedence. Rows that still tie are in ascending order of id. */
  readonly orderBy?: readonly Order<Name>[];
  readonly limit?: number;
  readonly offset?: number;
}

/** Checked options, with the defaults of omitted ones. */
export interface CheckedOptions extends Required<SearchOptions> {
  readonly orderBy: readonly Required<Order>[];
}

/** Checks options as far as their types do not. @throws ConditionError */
export function checkOptions(schema: ResolvedSchema, options: SearchOptions): CheckedOptions {
  const { orderBy = [], limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  return {
    orderBy: effectiveOrder(schema, orderBy),
    limit: checkCount('limit', limit),
    offset: checkCount('offset', offset),
  };
}

/** Removes keys that cannot change the order: repeated ones, all after the id, an ascending id. */
function effectiveOrder(schema: ResolvedSchema, orderBy: readonly Order[]): Required<Order>[] {
  if (orderBy.length === 0) return [];
  const { column: id } = schema.identity;
  const keys = new Set<string>();
  return orderBy
    .map((order) => checkOrder(schema, order))
    .filter(({ column, direction, ignoreCase }) => {
      const key = ignoreCase ? `${column} ignoring case` : column;
      if (keys.has(id) || keys.has(key)) return false;
      keys.add(key);
      return column !== id || direction === 'desc';
    });
}

function checkOrder(schema: ResolvedSchema, order: Order): Required<Order> {
  const { column, direction = 'asc', ignoreCase = false } = order;
  const kind = schema.columns.get(column)?.kind;
  if (!kind) throw new ConditionError(`there is no column ${JSON.stringify(column)} to order by`);
  if (kind === 'json') throw new ConditionError(`column "${column}" is json, which has no order`);
  if (ignoreCase && kind !== 'text') {
    throw new ConditionError(`column "${column}" is ${kind}: only text has a case to ignore`);
  }
  return { column, direction, ignoreCase };
}

function checkCount(name: string, count: number): number {
  const isCount = count === Number.POSITIVE_INFINITY || (Number.isSafeInteger(count) && count >= 0);
  if (isCount) return count;
  throw new ConditionError(`"${name}" must be an integer, zero or more`);
}

import { ConditionError } from '../errors.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';

/** A column to order by. Null is the smallest value, as in SQLite. */
export interface Order<Name extends string = string> {
  readonly column: Name;
  /** Default: `asc`. */
  readonly direction?: 'asc' | 'desc';
  /** Orders texts by case folding, and ties by code point. Default: by code point only. */
  readonly ignoreCase?: boolean;
}

/** The order of the rows, and which slice of them to return. */
export interface SearchOptions<Name extends string = string> {
  /** Columns in order of precedence. Rows that still tie are in ascending order of id. */
  readonly orderBy?: readonly Order<Name>[];
  readonly limit?: number;
  readonly offset?: number;
  /** Whether a cursor counts all matching rows, regardless of limit and offset. */
  readonly total?: boolean;
}

/** Checked options, in the form that the engine reads. */
export interface CheckedOptions extends Required<SearchOptions> {
  readonly orderBy: readonly Required<Order>[];
}

/** Checks options as far as their types do not. @throws ConditionError */
export function checkOptions(schema: ResolvedSchema, options: SearchOptions): CheckedOptions {
  const { orderBy = [], limit = Number.POSITIVE_INFINITY, offset = 0, total = false } = options;
  return {
    orderBy: effectiveOrder(schema, orderBy),
    limit: checkCount('limit', limit),
    offset: checkCount('offset', offset),
    total,
  };
}

/** Removes columns that cannot change the order: repeated ones, all after the id, an ascending id. */
function effectiveOrder(schema: ResolvedSchema, orderBy: readonly Order[]): Required<Order>[] {
  const orders = new Map<string, Required<Order>>();
  let isDecided = false;
  for (const each of orderBy) {
    const order = checkOrder(schema, each);
    if (isDecided || orders.has(order.column)) continue;
    isDecided = order.column === schema.identity.column;
    if (!isDecided || order.direction === 'desc') orders.set(order.column, order);
  }
  return [...orders.values()];
}

function checkOrder(schema: ResolvedSchema, order: Order): Required<Order> {
  const { column, direction = 'asc', ignoreCase = false } = order;
  const kind = schema.columns.get(column)?.kind;
  if (!kind) throw new ConditionError(`there is no column ${JSON.stringify(column)} to order by`);
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

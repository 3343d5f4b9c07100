import { ConditionError } from '../errors.ts';
import { isOfKind, requirementOf } from '../schema/check-value.ts';
import type { Column } from '../schema/column.ts';
import { likePattern } from '../text/like-pattern.ts';
import { fitsNull, operatorOf } from './operator-kinds.ts';

/**
 * The maximum nesting of conditions: enough for any query that people write, and small enough that
 * data from outside cannot exhaust the stack.
 */
const MAX_DEPTH = 200;

/**
 * Checks conditions, which may come from outside (a query string, a file), against the columns. So
 * no filter is ever dropped or misread.
 *
 * @throws ConditionError with a message that describes the problem
 */
export function checkConditions(columns: ReadonlyMap<string, Column>, conditions: unknown): void {
  checkList(columns, conditions, 'where', MAX_DEPTH);
}

function checkList(
  columns: ReadonlyMap<string, Column>,
  conditions: unknown,
  of: string,
  depth: number,
): void {
  if (!Array.isArray(conditions)) throw new ConditionError(`"${of}" takes a list of conditions`);
  for (const condition of conditions) check(columns, condition, depth);
}

function check(columns: ReadonlyMap<string, Column>, condition: unknown, depth: number): void {
  if (depth === 0) throw new ConditionError(`conditions are nested more than ${MAX_DEPTH} deep`);
  if (!isObject(condition)) throw new ConditionError('a condition is an object with an "op"');
  const { op } = condition;
  if (op === 'and' || op === 'or') checkList(columns, condition.conditions, op, depth - 1);
  else if (op === 'not') check(columns, condition.condition, depth - 1);
  else checkPredicate(columns, condition);
}

function checkPredicate(
  columns: ReadonlyMap<string, Column>,
  condition: Readonly<Record<string, unknown>>,
): void {
  const { op, column: name } = condition;
  const operator = operatorOf(op);
  if (!operator) throw new ConditionError(`there is no operator ${quoted(op)}`);
  const column = typeof name === 'string' ? columns.get(name) : undefined;
  if (!column) throw new ConditionError(`there is no column ${quoted(name)}`);
  if (!operator.kinds.includes(column.kind)) {
    throw new ConditionError(`"${op}" is not for column "${name}", which is ${column.kind}`);
  }
  if (!fitsNull(operator, column)) {
    throw new ConditionError(`"${op}" is not for column "${name}", which is never null`);
  }
  for (const operand of operator.operands) {
    const value = condition[operand];
    const values = operand === 'values' ? value : [value];
    if (!Array.isArray(values)) {
      throw new ConditionError(`"${op}" on column "${name}" takes a list of values`);
    }
    // A loop sees the holes of an array as undefined; array methods skip them.
    for (const each of values) {
      if (isOfKind(column.kind, each)) continue;
      const hint = each === null ? ' (for null, use isNull or isNotNull)' : '';
      throw new ConditionError(
        `a value of "${op}" on column "${name}" ${requirementOf(column.kind)}${hint}`,
      );
    }
  }
  if (op === 'like') likePattern(String(condition.value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function quoted(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : `of type ${typeof name}`;
}

import { ConditionError } from '../errors.ts';
import type { Column } from '../schema/column.ts';
import { KINDS } from '../schema/kinds.ts';
import { fits, operatorOf } from './operators.ts';

/**
 * The maximum nesting of conditions: enough for any query that people write, and small enough that
 * data from outside cannot exhaust the stack.
 */
const MAX_DEPTH = 200;

/** The members that are operands, by what an operator takes. */
const MEMBERS = { nothing: [], value: ['value'], text: ['value'], range: ['from', 'to'] } as const;

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
  else checkColumnCondition(columns, condition);
}

function checkColumnCondition(
  columns: ReadonlyMap<string, Column>,
  condition: Readonly<Record<string, unknown>>,
): void {
  const { op, column: name } = condition;
  const operator = operatorOf(op);
  if (!operator) throw new ConditionError(`there is no operator ${quoted(op)}`);
  const column = typeof name === 'string' ? columns.get(name) : undefined;
  if (!column) throw new ConditionError(`there is no column ${quoted(name)}`);
  if (!fits(operator, column)) {
    const is = operator.kinds.includes(column.kind) ? 'never null' : column.kind;
    throw new ConditionError(`"${op}" is not for column "${name}", which is ${is}`);
  }
  const operands =
    operator.takes === 'values'
      ? condition.values
      : MEMBERS[operator.takes].map((member) => condition[member]);
  if (!Array.isArray(operands)) {
    throw new ConditionError(`"${op}" on column "${name}" takes a list of values`);
  }
  const { accepts, requirement } = KINDS[column.kind];
  // A loop sees the holes of an array as undefined; array methods skip them.
  for (const operand of operands) {
    if (!accepts(operand)) {
      const hint = operand === null ? ' (for null, use isNull or isNotNull)' : '';
      throw new ConditionError(`a value of "${op}" on column "${name}" ${requirement}${hint}`);
    }
    const { form } = operator;
    if (form && !form.isText(String(operand))) {
      throw new ConditionError(
        `the operand of "${op}" on column "${name}" must be ${form.requirement}`,
      );
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function quoted(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : `of type ${typeof name}`;
}

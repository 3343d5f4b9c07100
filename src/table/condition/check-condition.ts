import { ConditionError } from '../errors.ts';
import { demandOf, isOfKind } from '../schema/check-value.ts';
import type { Column, Kind } from '../schema/column.ts';
import { likePattern } from '../text/like-pattern.ts';
import type { Leaf } from './condition.ts';

const EVERY: readonly Kind[] = ['integer', 'bigint', 'boolean', 'text', 'timestamp'];
const ORDERED: readonly Kind[] = ['integer', 'bigint', 'text', 'timestamp'];
const TEXT: readonly Kind[] = ['text'];

/** The kinds of column that each operator is for, and the members that hold its operands. */
const OPERATORS: ReadonlyMap<unknown, { kinds: readonly Kind[]; operands: readonly string[] }> =
  new Map<Leaf['op'], { kinds: readonly Kind[]; operands: readonly string[] }>([
    ['eq', { kinds: EVERY, operands: ['value'] }],
    ['ne', { kinds: EVERY, operands: ['value'] }],
    ['in', { kinds: EVERY, operands: ['values'] }],
    ['notIn', { kinds: EVERY, operands: ['values'] }],
    ['isNull', { kinds: EVERY, operands: [] }],
    ['isNotNull', { kinds: EVERY, operands: [] }],
    ['gt', { kinds: ORDERED, operands: ['value'] }],
    ['gte', { kinds: ORDERED, operands: ['value'] }],
    ['lt', { kinds: ORDERED, operands: ['value'] }],
    ['lte', { kinds: ORDERED, operands: ['value'] }],
    ['between', { kinds: ORDERED, operands: ['from', 'to'] }],
    ['contains', { kinds: TEXT, operands: ['value'] }],
    ['containsIgnoreCase', { kinds: TEXT, operands: ['value'] }],
    ['startsWith', { kinds: TEXT, operands: ['value'] }],
    ['endsWith', { kinds: TEXT, operands: ['value'] }],
    ['like', { kinds: TEXT, operands: ['value'] }],
  ]);

/** Deep enough for any query a person writes; data from outside must not exhaust the stack. */
const MAX_DEPTH = 200;

/**
 * Checks conditions that may come from outside (a query string, a file) against the columns, so
 * that a filter is never dropped or misread.
 *
 * @throws ConditionError with a sentence that says what is wrong
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
  else checkLeaf(columns, condition);
}

function checkLeaf(
  columns: ReadonlyMap<string, Column>,
  condition: Readonly<Record<string, unknown>>,
): void {
  const { op, column: name } = condition;
  const operator = OPERATORS.get(op);
  if (!operator) throw new ConditionError(`there is no operator ${quoted(op)}`);
  const column = typeof name === 'string' ? columns.get(name) : undefined;
  if (!column) throw new ConditionError(`there is no column ${quoted(name)}`);
  if (!operator.kinds.includes(column.kind)) {
    throw new ConditionError(`"${op}" is not for column "${name}", which is ${column.kind}`);
  }
  if (operator.operands.length === 0 && !column.nullable) {
    throw new ConditionError(`"${op}" is not for column "${name}", which is never null`);
  }
  for (const operand of operator.operands) {
    const value = condition[operand];
    const values = operand === 'values' ? value : [value];
    if (!Array.isArray(values)) {
      throw new ConditionError(`"${op}" on column "${name}" takes a list of values`);
    }
    if (!values.every((each) => isOfKind(column.kind, each))) {
      const hint = values.includes(null) ? ' (for null, use isNull or isNotNull)' : '';
      throw new ConditionError(
        `a value of "${op}" on column "${name}" ${demandOf(column.kind)}${hint}`,
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

/** The operators that fit a column. */
export function operatorsOf({ kind, nullable = false }: Column): readonly Leaf['op'][] {
  return ALL_OPERATORS.filter((op) => {
    const { kinds, operands } = OPERATORS.get(op) ?? { kinds: [], operands: [] };
    return kinds.includes(kind) && (operands.length > 0 || nullable);
  });
}

const ALL_OPERATORS: readonly Leaf['op'][] = [
  ...([
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'between',
    'in',
    'notIn',
    'isNull',
    'isNotNull',
  ] as const),
  ...(['contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'like'] as const),
];

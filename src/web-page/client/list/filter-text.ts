import { labelOf } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import type { Parameter } from './list-query.ts';

/** Operators that people know by a symbol; the others are called by their names. */
const SYMBOLS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '\u2260',
  gt: '>',
  gte: '\u2265',
  lt: '<',
  lte: '\u2264',
};

/** A filter as people read it: `priority.gte=4` is "Priority ≥ 4". */
export function filterText({ fields }: Service, [name, value]: Parameter): string {
  const operator = operatorOf(name);
  const field = fields.find((each) => [each.name, `${each.name}.${operator}`].includes(name));
  if (field === undefined) return `${name}=${value}`;
  const isSaid = isFlag(operator) && value === 'true';
  return `${field.label} ${operatorText(operator)}${isSaid ? '' : ` ${value}`}`;
}

/** The operator in the name of a parameter. */
export function operatorOf(name: string): string {
  return name.replace(/^[^.]*\.?/, '') || 'eq';
}

/** An operator as people read it. */
export function operatorText(operator: string): string {
  return SYMBOLS[operator] ?? labelOf(operator).toLowerCase();
}

/** Whether an operator needs no value, as `isNull` does. */
export function isFlag(operator: string): boolean {
  return operator.startsWith('is');
}

import type { Kind, Value } from '../schema/column.ts';
import { comparatorOf } from '../schema/compare.ts';
import { fold } from '../text/case-folding.ts';
import { likePattern } from '../text/like-pattern.ts';
import type { ColumnCondition, MatchOp, MembershipOp, NullTest } from './condition.ts';

/** A condition on a value, as opposed to a test for null. */
export type ValueCondition = Exclude<ColumnCondition, NullTest>;

/** Compiles a condition into a predicate on values that are not null. */
export function valuePredicate(kind: Kind, condition: ValueCondition): (value: Value) => boolean {
  switch (condition.op) {
    case 'eq':
    case 'ne':
      return equalityPredicate(condition.op, condition.value);
    case 'in':
    case 'notIn':
      return membershipPredicate(condition.op, condition.values);
    case 'between':
      return betweenPredicate(kind, condition.from, condition.to);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return rangePredicate(kind, condition.op, condition.value);
    default:
      return textPredicate(condition.op, condition.value);
  }
}

function equalityPredicate(op: 'eq' | 'ne', operand: Value): (value: Value) => boolean {
  return op === 'eq' ? (value) => value === operand : (value) => value !== operand;
}

function membershipPredicate(
  op: MembershipOp,
  operands: readonly Value[],
): (value: Value) => boolean {
  const members = new Set(operands);
  return op === 'in' ? (value) => members.has(value) : (value) => !members.has(value);
}

function betweenPredicate(kind: Kind, from: Value, to: Value): (value: Value) => boolean {
  const compare = comparatorOf(kind);
  return (value) => compare(value, from) >= 0 && compare(value, to) <= 0;
}

function rangePredicate(
  kind: Kind,
  op: 'gt' | 'gte' | 'lt' | 'lte',
  bound: Value,
): (value: Value) => boolean {
  const compare = comparatorOf(kind);
  switch (op) {
    case 'gt':
      return (value) => compare(value, bound) > 0;
    case 'gte':
      return (value) => compare(value, bound) >= 0;
    case 'lt':
      return (value) => compare(value, bound) < 0;
    case 'lte':
      return (value) => compare(value, bound) <= 0;
  }
}

function textPredicate(op: MatchOp, operand: string): (value: Value) => boolean {
  switch (op) {
    case 'contains':
      return (value) => String(value).includes(operand);
    case 'containsIgnoreCase': {
      const needle = fold(operand);
      return (value) => fold(String(value)).includes(needle);
    }
    case 'startsWith':
      return (value) => String(value).startsWith(operand);
    case 'endsWith':
      return (value) => String(value).endsWith(operand);
    case 'like': {
      const pattern = likePattern(operand);
      return (value) => pattern.matches(String(value));
    }
  }
}

import type { Kind, Value } from '../schema/column.ts';
import { fold } from '../text/case-folding.ts';
import { compareText } from '../text/code-points.ts';
import { likePattern } from '../text/like-pattern.ts';
import type { Leaf, MatchOp, MembershipOp, NullTest } from './condition.ts';

/** A leaf that asks about the value itself, not about whether there is one. */
export type ValueLeaf = Exclude<Leaf, NullTest>;

/** What a leaf says about a value, given that it is not null. */
export function valueTest(kind: Kind, leaf: ValueLeaf): (value: Value) => boolean {
  switch (leaf.op) {
    case 'eq':
    case 'ne':
      return equalityTest(leaf.op, leaf.value);
    case 'in':
    case 'notIn':
      return membershipTest(leaf.op, leaf.values);
    case 'between':
      return betweenTest(kind, leaf.from, leaf.to);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return rangeTest(kind, leaf.op, leaf.value);
    default:
      return textTest(leaf.op, leaf.value);
  }
}

/** How the values of a kind are ordered; a negative number means that `a` comes first. */
export function comparatorOf(kind: Kind): (a: Value, b: Value) => number {
  if (kind === 'text') return (a, b) => compareText(String(a), String(b));
  return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
}

function equalityTest(op: 'eq' | 'ne', operand: Value): (value: Value) => boolean {
  return op === 'eq' ? (value) => value === operand : (value) => value !== operand;
}

function membershipTest(op: MembershipOp, operands: readonly Value[]): (value: Value) => boolean {
  const members = new Set(operands);
  return op === 'in' ? (value) => members.has(value) : (value) => !members.has(value);
}

function betweenTest(kind: Kind, from: Value, to: Value): (value: Value) => boolean {
  const compare = comparatorOf(kind);
  return (value) => compare(value, from) >= 0 && compare(value, to) <= 0;
}

function rangeTest(
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

function textTest(op: MatchOp, operand: string): (value: Value) => boolean {
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

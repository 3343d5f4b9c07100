import type { Value } from '../schema/column.ts';

/** A condition: plain data, so that it can be built, stored, printed and sent. */
export type Condition =
  | { readonly op: ComparisonOp; readonly column: string; readonly value: Value }
  | { readonly op: MatchOp; readonly column: string; readonly value: string }
  | { readonly op: MembershipOp; readonly column: string; readonly values: readonly Value[] }
  | { readonly op: 'between'; readonly column: string; readonly from: Value; readonly to: Value }
  | NullTest
  | { readonly op: GroupOp; readonly conditions: readonly Condition[] }
  | { readonly op: 'not'; readonly condition: Condition };

export type ComparisonOp = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
export type MatchOp = 'contains' | 'containsIgnoreCase' | 'startsWith' | 'endsWith' | 'like';
export type MembershipOp = 'in' | 'notIn';
export type NullTestOp = 'isNull' | 'isNotNull';
export type GroupOp = 'and' | 'or';

/** A condition on one column. */
export type ColumnCondition = Exclude<Condition, { op: GroupOp | 'not' }>;

/** A test for null. It is the only condition that is never unknown. */
export interface NullTest {
  readonly op: NullTestOp;
  readonly column: string;
}

/** At least one condition. */
export type NonEmpty = readonly [Condition, ...Condition[]];

/** True if all conditions are true, or if there are none. */
export const and = (...conditions: readonly Condition[]): Condition => ({ op: 'and', conditions });

/** True if any condition is true; false if there are none. */
export const or = (...conditions: readonly Condition[]): Condition => ({ op: 'or', conditions });

/** True if the condition is false, and unknown if it is unknown. */
export const not = (condition: Condition): Condition => ({ op: 'not', condition });

import type { Schema, Value } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import type { Condition } from './condition.ts';

/** The operators of every column. */
export interface Equality<V> {
  eq(value: V): Condition;
  ne(value: V): Condition;
  in(values: readonly V[]): Condition;
  notIn(values: readonly V[]): Condition;
}

/** Additional operators of columns with ordered values. */
export interface Ordering<V> extends Equality<V> {
  gt(value: V): Condition;
  gte(value: V): Condition;
  lt(value: V): Condition;
  lte(value: V): Condition;
  /** Both ends are inclusive. */
  between(from: V, to: V): Condition;
}

/** Additional operators of text columns. Only `containsIgnoreCase` is case-insensitive. */
export interface Matching extends Ordering<string> {
  contains(text: string): Condition;
  containsIgnoreCase(text: string): Condition;
  startsWith(text: string): Condition;
  endsWith(text: string): Condition;
  /** `%` matches any text, `_` one code point; a backslash escapes the next code point. */
  like(pattern: string): Condition;
}

/** Additional operators of nullable columns. */
export interface NullTests {
  isNull(): Condition;
  isNotNull(): Condition;
}

/** The operators of each kind of column. */
export interface OperatorsByKind {
  integer: Ordering<number>;
  bigint: Ordering<bigint>;
  boolean: Equality<boolean>;
  text: Matching;
  timestamp: Ordering<string>;
}

type NullTestsOf<C> = C extends { readonly nullable: infer N }
  ? true extends N
    ? NullTests
    : unknown
  : unknown;

/** The columns that a `where` callback receives, each with the operators of its kind. */
export type Operators<S extends Schema> = {
  readonly [K in keyof S]: OperatorsByKind[S[K]['kind']] & NullTestsOf<S[K]>;
};

/** Implements all operators of all kinds. The types above expose those that fit a column. */
class ColumnOperators implements Equality<Value>, NullTests {
  readonly #column: string;

  constructor(column: string) {
    this.#column = column;
  }

  eq(value: Value): Condition {
    return { op: 'eq', column: this.#column, value };
  }
  ne(value: Value): Condition {
    return { op: 'ne', column: this.#column, value };
  }
  in(values: readonly Value[]): Condition {
    return { op: 'in', column: this.#column, values };
  }
  notIn(values: readonly Value[]): Condition {
    return { op: 'notIn', column: this.#column, values };
  }
  gt(value: Value): Condition {
    return { op: 'gt', column: this.#column, value };
  }
  gte(value: Value): Condition {
    return { op: 'gte', column: this.#column, value };
  }
  lt(value: Value): Condition {
    return { op: 'lt', column: this.#column, value };
  }
  lte(value: Value): Condition {
    return { op: 'lte', column: this.#column, value };
  }
  between(from: Value, to: Value): Condition {
    return { op: 'between', column: this.#column, from, to };
  }
  contains(value: string): Condition {
    return { op: 'contains', column: this.#column, value };
  }
  containsIgnoreCase(value: string): Condition {
    return { op: 'containsIgnoreCase', column: this.#column, value };
  }
  startsWith(value: string): Condition {
    return { op: 'startsWith', column: this.#column, value };
  }
  endsWith(value: string): Condition {
    return { op: 'endsWith', column: this.#column, value };
  }
  like(value: string): Condition {
    return { op: 'like', column: this.#column, value };
  }
  isNull(): Condition {
    return { op: 'isNull', column: this.#column };
  }
  isNotNull(): Condition {
    return { op: 'isNotNull', column: this.#column };
  }
}

/** Builds the columns, with their operators, that a `where` callback receives. */
export function operatorsFor<S extends Schema>({ columns }: Layout): Operators<S> {
  const operators = [...columns.keys()].map((name) => [name, new ColumnOperators(name)]);
  // The types show, of each column, a subset of the operators that it has.
  return Object.fromEntries(operators) as Operators<S>;
}

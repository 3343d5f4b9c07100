import type { Schema, Value } from '../schema/column.ts';
import type { Layout } from '../schema/layout.ts';
import { type Condition, conditionOn } from './condition.ts';
import {
  OPERATOR_NAMES,
  type OPERATORS,
  type OperatorFitting,
  type OperatorName,
} from './operators.ts';

/** What the method of an operator takes, for values of a type. */
interface Arguments<V> {
  readonly nothing: readonly [];
  readonly value: readonly [value: V];
  readonly text: readonly [text: string];
  readonly values: readonly [values: readonly V[]];
  readonly range: readonly [from: V, to: V];
}

/** Operators as methods that make conditions. */
type Methods<O extends OperatorName, V> = {
  readonly [N in O]: (...operands: Arguments<V>[(typeof OPERATORS)[N]['takes']]) => Condition;
};

/** The methods of columns of each kind. */
interface MethodsByKind {
  readonly integer: Methods<OperatorFitting<'integer'>, number>;
  readonly bigint: Methods<OperatorFitting<'bigint'>, bigint>;
  readonly boolean: Methods<OperatorFitting<'boolean'>, boolean>;
  readonly text: Methods<OperatorFitting<'text'>, string>;
  readonly timestamp: Methods<OperatorFitting<'timestamp'>, string>;
}

type NullTests = Methods<'isNull' | 'isNotNull', Value>;

type NullTestsOf<C> = C extends { readonly nullable: infer N }
  ? true extends N
    ? NullTests
    : unknown
  : unknown;

/** The columns that a `where` callback receives, each with the operators that fit it. */
export type Columns<S extends Schema> = {
  readonly [K in keyof S]: MethodsByKind[S[K]['kind']] & NullTestsOf<S[K]>;
};

/** Makes the columns, with all operators, of a schema. */
export function columnsOf<S extends Schema>({ columns }: Layout): Columns<S> {
  const made = [...columns.keys()].map((column) => [column, methodsOf(column)] as const);
  // The types show, of each column, a subset of the operators that it has.
  return Object.fromEntries(made) as Columns<S>;
}

function methodsOf(column: string) {
  const methods = OPERATOR_NAMES.map((op) => {
    const method = (...operands: readonly (Value | readonly Value[])[]) =>
      conditionOn(column, op, operands.flat());
    return [op, method] as const;
  });
  return Object.fromEntries(methods);
}

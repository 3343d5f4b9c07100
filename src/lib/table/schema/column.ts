import type { Integer } from './integer.ts';

/**
 * The kinds of column: an `integer` has 32 bits, a `bigint` 64; a `number` is a double; a `timestamp`
 * is local, an `instant` in UTC; `json` is the text of an array or object.
 */
export type Kind =
  | 'integer'
  | 'bigint'
  | 'number'
  | 'boolean'
  | 'text'
  | 'timestamp'
  | 'instant'
  | 'json';

/** The JavaScript type of each kind. */
export interface ValueByKind {
  integer: number;
  bigint: Integer;
  number: number;
  boolean: boolean;
  text: string;
  timestamp: string;
  instant: string;
  json: string;
}

/** Any value except null. */
export type Value = ValueByKind[Kind];

/** A row as the engine stores it, of any schema. */
export type StoredRow = Readonly<Record<string, Value | null>>;

/** A column. Members that are not listed here, such as validation rules, are ignored. */
export interface Column {
  readonly kind: Kind;
  /** Whether the column may hold null. */
  readonly nullable?: boolean;
  /** Makes it the primary key, GENERATED ALWAYS AS IDENTITY in SQL. Both ends are inclusive. */
  readonly identity?: { readonly from: Integer; readonly to: Integer };
  /** The value to store if an insert omits the column. */
  readonly default?: Value | null;
  /** The maximum length of a text, in Unicode code points. */
  readonly maxLength?: number;
}

/** The columns of a table, in the order of the members. */
export type Schema = Readonly<Record<string, Column>>;

/** The names of the columns. */
export type ColumnName<S extends Schema> = keyof S & string;

type NullOf<C extends Column> = 'nullable' extends keyof C
  ? true extends C['nullable']
    ? null
    : never
  : never;

/** The type of a column, including null if it is nullable. */
export type ValueOf<C extends Column> = ValueByKind[C['kind']] | NullOf<C>;

/** A row. Rows are immutable: an update creates a new one. */
export type Row<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

type IdentityName<S extends Schema> = {
  [K in keyof S]: S[K] extends { readonly identity: object } ? K : never;
}[keyof S];

/** The type of the primary key. */
export type Id<S extends Schema> = string extends keyof S
  ? Integer
  : ValueByKind[S[IdentityName<S>]['kind']];

type OptionalName<S extends Schema> = {
  [K in keyof S]: S[K] extends { readonly default: unknown }
    ? K
    : null extends NullOf<S[K]>
      ? K
      : never;
}[keyof S];

/** The values for `insert`, except the id. Nullable columns and those with a default are optional. */
export type NewRow<S extends Schema> = {
  readonly [K in Exclude<keyof S, IdentityName<S> | OptionalName<S>>]: ValueOf<S[K]>;
} & {
  readonly [K in Exclude<OptionalName<S>, IdentityName<S>>]?: ValueOf<S[K]>;
};

/** The values for `update`: any columns except the identity. Omitted columns do not change. */
export type Changes<S extends Schema> = {
  readonly [K in Exclude<keyof S, IdentityName<S>>]?: ValueOf<S[K]>;
};

/** The values for `modify`: those of all rows, or a function that returns those of a row. */
export type RowChanges<S extends Schema> = Changes<S> | ((row: Row<S>) => Changes<S>);

/**
 * The kinds of column.
 *
 * - `integer`: 32-bit signed, a number
 * - `bigint`: 64-bit signed, a bigint
 * - `boolean`
 * - `text`: well-formed Unicode, ordered by code point
 * - `timestamp`: a local date-time of fixed width, `2026-11-20T09:30:00.123`
 */
export type Kind = 'integer' | 'bigint' | 'boolean' | 'text' | 'timestamp';

/** What a value of each kind is in JavaScript. */
export interface ValueByKind {
  integer: number;
  bigint: bigint;
  boolean: boolean;
  text: string;
  timestamp: string;
}

/** Any value that is not null. */
export type Value = ValueByKind[Kind];

/** A column. Other members (documentation, rules of a request, …) are ignored. */
export interface Column {
  readonly kind: Kind;
  /** Whether null may be stored. */
  readonly nullable?: boolean;
  /**
   * The primary key, GENERATED ALWAYS AS IDENTITY: ids run from `from` to `to`, both inclusive.
   */
  readonly identity?: { readonly from: number | bigint; readonly to: number | bigint };
  /** Stored if an insert has no value. */
  readonly default?: Value | null;
  /** The longest text allowed, in Unicode code points. */
  readonly maxLength?: number;
  /**
   * `ordered` serves comparisons, prefixes and `orderBy`; `bitmap`, for columns of few different
   * values, all conditions and `orderBy`; `substring` (text only) serves `contains`,
   * `containsIgnoreCase`, `startsWith`, `endsWith`, `like` and `eq`.
   */
  readonly index?: 'ordered' | 'bitmap' | 'substring';
}

/** The columns of a table; the order of the members is the order of the columns. */
export type Schema = Readonly<Record<string, Column>>;

/** Names of the columns. */
export type ColumnName<S extends Schema> = keyof S & string;

type NullOf<C> = C extends { readonly nullable: infer N } ? (true extends N ? null : never) : never;

/** The values of a column. */
export type ValueOf<C extends Column> = ValueByKind[C['kind']] | NullOf<C>;

/** A row as read. Rows are immutable: an update makes a new one. */
export type Row<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

type IdentityName<S extends Schema> = {
  [K in keyof S]: S[K] extends { readonly identity: object } ? K : never;
}[keyof S];

/** The type of the primary key. */
export type Id<S extends Schema> = ValueByKind[S[IdentityName<S>]['kind']];

type OptionalName<S extends Schema> = {
  [K in keyof S]: S[K] extends { readonly default: unknown }
    ? K
    : null extends NullOf<S[K]>
      ? K
      : never;
}[keyof S];

/**
 * The values for `insert`: no identity; columns that are nullable or have a default may be omitted.
 */
export type NewRow<S extends Schema> = {
  readonly [K in Exclude<keyof S, IdentityName<S> | OptionalName<S>>]: ValueOf<S[K]>;
} & {
  readonly [K in Exclude<OptionalName<S>, IdentityName<S>>]?: ValueOf<S[K]>;
};

/** The values for `update`: any columns except the identity; omitted ones stay as they are. */
export type Changes<S extends Schema> = {
  readonly [K in Exclude<keyof S, IdentityName<S>>]?: ValueOf<S[K]>;
};

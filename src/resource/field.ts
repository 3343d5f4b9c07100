import type { Column, Value } from '../table/schema/column.ts';

/** The rules for a value from a client. Lengths are in Unicode code points. */
export interface Rules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** How a create request treats a field. */
export interface CreateOptions {
  /** The member is required. */
  readonly required?: boolean;
  /** The value of an absent member, if it differs from the stored default. */
  readonly default?: Value;
  /** The text must not be blank; this is the message if it is. */
  readonly notBlank?: string;
}

/**
 * A field of a resource. The table's column, the validators of requests, the JSON serializer,
 * filters and the JSON Schemas are derived from it.
 */
export interface Field extends Column {
  /** One sentence for the API's documentation. */
  readonly description: string;
  /** Makes the value when an item is created; clients can neither set nor change it. */
  readonly assign?: () => Value;
  /** The rules for every value from a client. */
  readonly rules?: Rules;
  /** Present if a create request may have the field. */
  readonly create?: CreateOptions;
  /** Whether an update may have the field. */
  readonly update?: boolean;
}

/** The fields of a resource, in the order of JSON members and of violations. */
export type Fields = Readonly<Record<string, Field>>;

/** A row as the derived parts see it: any fields. */
export type FieldValues = Readonly<Record<string, Value | null>>;

/**
 * How a create request treats a field; undefined if it ignores it. A field that has no other source
 * of a value is required, like a NOT NULL column without a DEFAULT in SQL.
 */
export function createOptionsOf(field: Field): CreateOptions | undefined {
  const { create, assign, identity, nullable, default: stored } = field;
  if (identity !== undefined || assign !== undefined) return undefined;
  const hasDefault = stored !== undefined || nullable === true || create?.default !== undefined;
  return hasDefault ? create : { ...create, required: true };
}

/** The value of an absent member of a create request; undefined if the member is required. */
export function createDefaultOf(field: Field): Value | null | undefined {
  const { required = false, default: requested } = createOptionsOf(field) ?? {};
  if (required) return undefined;
  return requested ?? field.default ?? (field.nullable ? null : undefined);
}

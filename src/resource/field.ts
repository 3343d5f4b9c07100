import type { Column, Value } from '../table/schema/column.ts';

/** What a value that a client sends must keep to. Lengths are in Unicode code points. */
export interface Rules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** How a create request deals with a field. */
export interface CreateOptions {
  /** The member must be there. */
  readonly required?: boolean;
  /** Taken when the member is absent, where that is another value than the stored default. */
  readonly default?: Value;
  /** The text must hold more than white space; this is what a client is told otherwise. */
  readonly notBlank?: string;
}

/**
 * One field of a resource, once for all its uses: the table's column, the validators of requests,
 * the JSON serializer, filters and the JSON Schemas are derived from it.
 */
export interface Field extends Column {
  /** One sentence for the API's documentation. */
  readonly description: string;
  /** Makes the value when an item is created; no client sets or changes it. */
  readonly assign?: () => Value;
  /** What every value from a client must keep to. */
  readonly rules?: Rules;
  /** Present where a create request takes the field. */
  readonly create?: CreateOptions;
  /** Whether an update takes the field. */
  readonly update?: boolean;
}

/** The fields of a resource; the order of the members is the order in JSON and of violations. */
export type Fields = Readonly<Record<string, Field>>;

/** A row as the derived parts see it: any fields. */
export type FieldValues = Readonly<Record<string, Value | null>>;

/**
 * How a create request deals with a field; undefined where it does not take it. A field that
 * nothing else gives a value must be sent, as in SQL a column that is NOT NULL without a DEFAULT.
 */
export function createOptionsOf(field: Field): CreateOptions | undefined {
  const { create, assign, identity, nullable, default: stored } = field;
  if (identity !== undefined || assign !== undefined) return undefined;
  const hasDefault = stored !== undefined || nullable === true || create?.default !== undefined;
  return hasDefault ? create : { ...create, required: true };
}

/** What an absent member of a create request stands for; undefined where it must be there. */
export function createDefaultOf(field: Field): Value | null | undefined {
  const { required = false, default: requested } = createOptionsOf(field) ?? {};
  if (required) return undefined;
  return requested ?? field.default ?? (field.nullable ? null : undefined);
}

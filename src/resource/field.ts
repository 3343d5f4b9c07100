import type { Column, Value } from '../table/column.ts';

/** What a request may put into a field. Lengths are in Unicode code points, as in JSON Schema. */
export interface Rules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The text must hold more than white space; this is what a client is told otherwise. */
  readonly notBlank?: string;
}

/** What a create request may put into a field, and what happens when it says nothing. */
export interface CreateRules extends Rules {
  /** Taken when the member is absent. A field without it must be sent. */
  readonly default?: Value;
}

/**
 * One field of a resource, once for all its uses: the table's column, the two request validators, the JSON
 * writer and the JSON Schemas are derived from it.
 */
export interface Field extends Column {
  /** One sentence for the API's documentation. */
  readonly description: string;
  /** Makes the value when an item is created; no client sets or changes it. */
  readonly assign?: () => Value;
  /** Present where a create request takes the field. */
  readonly create?: CreateRules;
  /** Present where an update request takes the field; absent or null leaves the stored value as it is. */
  readonly update?: Rules;
}

/** The fields of a resource; the order of the members is the order in JSON and of violations. */
export type Fields = Readonly<Record<string, Field>>;

/** A row as the derived parts see it: any fields. */
export type FieldValues = Readonly<Record<string, Value | null>>;

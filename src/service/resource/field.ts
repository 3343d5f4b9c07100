import { mapValues } from '../../lib/json/index.ts';
import type { Aliases } from '../../lib/nearest.ts';
import type { Column, Integer, Value } from '../../lib/table/index.ts';

/** The rules for a value from a client. Lengths are in Unicode code points. */
export interface Rules {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  /** A text has to match it somewhere. */
  readonly pattern?: RegExp | undefined;
  /** The only texts that are allowed. */
  readonly enum?: readonly string[] | undefined;
  readonly minimum?: Integer | undefined;
  readonly maximum?: Integer | undefined;
}

/** The type of the arrays or objects of a field of kind `json`. */
export type JsonType =
  | {
      readonly type: 'array';
      /** By default, elements may be any JSON values. */
      readonly items?: Field;
      readonly minItems: number;
      readonly maxItems?: number;
    }
  | {
      readonly type: 'object';
      /** By default, an object may have any members. */
      readonly properties?: Fields;
    };

/** How a create request treats a field. */
export interface CreateOptions {
  readonly required?: boolean;
  /** The value of an absent member, if it differs from the stored default. */
  readonly default?: Value | null;
  /** The text must not be blank; this is the message if it is. */
  readonly notBlank?: string;
  /** The message for an absent or null member, in place of the usual ones. */
  readonly ifMissing?: string;
}

/** A field of a resource: column, validators, JSON, filters and JSON Schemas derive from it. */
export interface Field extends Column {
  readonly description: string;
  /** Other usual names of the field, such as `done` for `completed`: for hints, never accepted. */
  readonly aliases?: readonly string[];
  /** Why a create request cannot set a field that an update can, as a predicate. */
  readonly ifCreated?: string;
  /** Returns the value for a new item. Clients cannot set the field. @param time in milliseconds */
  readonly assign?: (time: number) => Value;
  /** Whether each change of an item assigns the value again. */
  readonly isRenewed?: boolean;
  readonly rules?: Rules;
  /** Present if its kind is `json`. */
  readonly json?: JsonType;
  /** Whether an item may lack the member. The column is then null. */
  readonly isOptional?: boolean;
  /** Whether null is a value of the member. By default, if the column may be null. */
  readonly takesNull?: boolean;
  /** Present if a create request may have the field. */
  readonly create?: CreateOptions;
  readonly update?: boolean;
}

/** The fields of a resource, in the order of JSON members and of violations. */
export type Fields = Readonly<Record<string, Field>>;

/** The other names of each field, by its name, for hints. */
export function aliasesByName(fields: Fields): Aliases {
  return mapValues(fields, ({ aliases = [] }) => aliases);
}

/** The members that contents may have (api.md: "Names"). */
export interface ContentRules {
  readonly fields: Fields;
  /** Fields whose names are known, too, as those of read-only fields: those of all variants. */
  readonly alsoKnown: Fields;
  /** Whether any other name is a violation (`STRICT`). */
  readonly isStrict: boolean;
  /** Whether null leaves a field as it is in an update (PUT), like an absent member. */
  readonly ignoresNull: boolean;
}

/** The values of a row with any fields. */
export type FieldValues = Readonly<Record<string, Value | null>>;

/** Where a set of field values comes from. */
export type InputKind = 'create' | 'update' | 'patch' | 'seed';

/** Whether null is a value of a member. */
export function takesNull({ nullable = false, takesNull = nullable }: Field): boolean {
  return takesNull;
}

/**
 * The column that tells whether the null of another column is a value, or stands for an absent
 * member; undefined if the field cannot have both.
 */
export function nullMarkOf(name: string, field: Field): string | undefined {
  return field.isOptional && takesNull(field) ? `${name}?` : undefined;
}

/** The rules for a value of a field; the range of an id is the identity range. */
export function rulesFor(field: Pick<Field, 'rules' | 'identity'>): Rules | undefined {
  const { rules, identity } = field;
  return rules ?? (identity && { minimum: identity.from, maximum: identity.to });
}

/** Other usual names of a field: for hints, never accepted. */
export function usualNamesOf(name: string): readonly string[] {
  return name === 'completed' ? ['done', 'isDone', 'isComplete', 'isCompleted'] : [];
}

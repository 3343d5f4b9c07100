import { mapValues } from '../../lib/json/index.ts';
import type { Aliases } from '../../lib/nearest.ts';
import type { Column, Integer, Value } from '../../lib/table/index.ts';
import type { MemberTreatment } from './shape.ts';

/** The rules for a value from a client. Lengths are in Unicode code points. */
export interface Rules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: Integer;
  readonly maximum?: Integer;
}

/** How a create request treats a field. */
export interface CreateOptions {
  readonly required?: boolean;
  /** The value of an absent member, if it differs from the stored default. */
  readonly default?: Value;
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
  /** Creates the generator of values for new items. Clients cannot set the field. */
  readonly assign?: () => () => Value;
  readonly rules?: Rules;
  /** Present if a create request may have the field. */
  readonly create?: CreateOptions;
  readonly update?: boolean;
}

/** The fields of a resource, in the order of JSON members and of violations. */
export type Fields = Readonly<Record<string, Field>>;

/** The other names of fields, for hints. */
export function aliasesOf(fields: Fields): Aliases {
  return mapValues(fields, ({ aliases = [] }) => aliases);
}

/** The members that contents may have (api.md: "Names"). */
export interface ContentRules {
  readonly fields: Fields;
  /** Names that are known, too, and ignored: of fields that other variants have. */
  readonly alsoKnown: readonly string[];
  /** Whether any other name is a violation (`STRICT`). */
  readonly isStrict: boolean;
}

/** The values of a row with any fields. */
export type FieldValues = Readonly<Record<string, Value | null>>;

/** Where a set of field values comes from. */
export type InputKind = 'create' | 'update' | 'patch' | 'seed';

/** The treatment of a field in an input. */
export interface InputMember extends MemberTreatment<Value> {
  readonly notBlank?: CreateOptions['notBlank'] | undefined;
  readonly ifMissing?: CreateOptions['ifMissing'] | undefined;
}

/**
 * The treatment of a field in an input; undefined if it is ignored. A create request requires a
 * field that has no other source of a value, like a NOT NULL column without a DEFAULT in SQL. A
 * seed may have every field. In an update, null means absent; in a patch, it removes (RFC 7396).
 */
export function inputMemberOf(field: Field, input: InputKind): InputMember | undefined {
  const { create, update, assign, identity, nullable, default: stored = null } = field;
  const ifNull = nullable ? ('is a value' as const) : undefined;
  if (input === 'update' || input === 'patch') {
    if (!update) return undefined;
    return { isRequired: false, ifNull: input === 'update' ? 'is absent' : ifNull };
  }
  const isOfSeed = input === 'seed';
  if (identity !== undefined || assign !== undefined) {
    return isOfSeed ? { isRequired: false, ifNull } : undefined;
  }
  const { notBlank, ifMissing, default: value = stored, required } = create ?? {};
  const hasValue = (value !== null || nullable) && !required;
  if (hasValue && create === undefined && !isOfSeed) return undefined;
  const fallback = hasValue ? value : undefined;
  return { isRequired: !hasValue, fallback, ifNull, notBlank, ifMissing };
}

/** The rules for a value of a field; the range of an id is the identity range. */
export function rulesFor(field: Pick<Field, 'rules' | 'identity'>): Rules | undefined {
  const { rules, identity } = field;
  return rules ?? (identity && { minimum: identity.from, maximum: identity.to });
}

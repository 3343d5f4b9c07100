import {
  exactJsonText,
  type JsonObject,
  type JsonSchema,
  mapValues,
  objectSchema,
} from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import {
  type ContentRules,
  type Field,
  type Fields,
  type FieldValues,
  type InputKind,
  rulesFor,
} from './field.ts';
import { readOnlyMember } from './read-only-member.ts';
import { type Member, object, type Shape } from './shape.ts';
import { VALUE_KINDS } from './value-kind.ts';
import { limitsOf, nullableSchema, valueShape } from './value-shape.ts';

/** The shape of an input: all fields, of which it can set some (api.md: "Names"). */
export function contentShape(
  { fields, alsoKnown, isStrict }: ContentRules,
  input: InputKind,
): Shape<FieldValues> {
  const ifLenient = input === 'create' || input === 'seed' ? 'unknown' : 'unknown beside known';
  return object<Record<string, Value>>(
    {
      ...mapValues(fields, (field) => fieldMember(field, input)),
      ...mapValues(alsoKnown, (field) => readOnlyMember(field, input)),
    },
    { ignores: isStrict ? 'nothing' : ifLenient },
  );
}

/**
 * The member for a field in an input. A create request requires a field that has no other source of a
 * value, like a NOT NULL column without a DEFAULT in SQL, and one that is `create.required`. A field
 * without `create` that has a default or may be null is read-only there. A seed may have every field.
 * In an update, null means absent; in a patch, it removes (RFC 7396).
 */
export function fieldMember(field: Field, input: InputKind): Member<Value> {
  const { create, update, assign, identity, nullable, default: columnDefault = null } = field;
  const ifNull = nullable ? ('is a value' as const) : undefined;
  if (input !== 'create' && input !== 'seed') {
    if (!update) return readOnlyMember(field, input);
    return memberWith(field, { ifNull: input === 'update' ? 'is absent' : ifNull });
  }
  const isOfSeed = input === 'seed';
  if (identity !== undefined || assign !== undefined) {
    return isOfSeed ? memberWith(field, { ifNull }) : readOnlyMember(field, input);
  }
  const { notBlank, ifMissing, default: value = columnDefault, required } = create ?? {};
  const hasFallback = (value !== null || nullable) && !required;
  if (hasFallback && create === undefined && !isOfSeed) return readOnlyMember(field, input);
  const fallback = hasFallback ? value : undefined;
  return memberWith(field, { isRequired: !hasFallback, fallback, ifNull, ifMissing }, notBlank);
}

/** @param treatment of an absent or null member @param notBlank the message for a blank text */
function memberWith(
  field: Field,
  treatment: Omit<Member<Value>, keyof Shape<Value>>,
  notBlank?: string,
): Member<Value> {
  const { description, aliases } = field;
  const { fallback, ifNull } = treatment;
  const value = valueShape(field, notBlank);
  return {
    ...treatment,
    aliases,
    // Descriptions state the defaults, because generators of clients conclude from `default` that
    // the member is required.
    get schema() {
      const ifAbsent = fallback === undefined ? '' : ` If absent: ${exactJsonText(fallback)}.`;
      const type = nullableSchema(value.schema, ifNull !== undefined);
      return { ...type, description: description + ifAbsent };
    },
    read: value.read,
  };
}

/** The schema of an item in a response, which has all members. */
export function itemSchema(fields: Fields): JsonSchema {
  const members = mapValues(fields, (field) => {
    const { kind, nullable = false, maxLength, description } = field;
    const { minimum, maximum } = rulesFor(field) ?? {};
    const type = nullableSchema(VALUE_KINDS[kind].schema, nullable);
    return { ...type, ...limitsOf({ minimum, maximum, maxLength }), description };
  });
  return objectSchema(members);
}

/** The item that a create request makes, as an example. */
export function exampleOf(fields: Fields, request: JsonObject): JsonObject {
  return mapValues(fields, ({ kind, default: fallback = VALUE_KINDS[kind].example }, name) => {
    const value = request[name] ?? fallback;
    return typeof value === 'bigint' ? Number(value) : value;
  });
}

import {
  exactJsonText,
  type JsonObject,
  type JsonSchema,
  mapValues,
  objectSchema,
  parseJson,
} from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import {
  type ContentRules,
  type Field,
  type Fields,
  type FieldValues,
  type InputKind,
  rulesFor,
  takesNull,
} from './field.ts';
import { jsonShape, type MemberRules, mergedMember } from './json-shape.ts';
import { readOnlyMember } from './read-only-member.ts';
import { type Member, object, type Shape } from './shape.ts';
import { Validation } from './validation.ts';
import { VALUE_KINDS } from './value-kind.ts';
import { limitsOf, nullableSchema, valueShape } from './value-shape.ts';

/** The shape of an input: all fields, of which it can set some (api.md: "Names"). */
export function contentShape(rules: ContentRules, input: InputKind): Shape<FieldValues> {
  const { fields, alsoKnown, isStrict } = rules;
  const ifLenient = input === 'create' || input === 'seed' ? 'unknown' : 'unknown beside known';
  return object<Record<string, Value>>(
    {
      ...mapValues(fields, (field, name) => {
        const member = fieldMember(field, input, rules);
        const { json, update } = field;
        const isMerged = input === 'patch' && json?.type === 'object' && update;
        return isMerged ? mergedMember(name, member, json, isStrict) : member;
      }),
      ...mapValues(alsoKnown, (field) => readOnlyMember(field, input)),
    },
    { ignores: isStrict ? 'nothing' : ifLenient },
  );
}

/**
 * The member for a field in an input. A create request requires a field that has no other source of a
 * value, like a NOT NULL column without a DEFAULT in SQL, and one that is `create.required`. A field
 * without `create` that has a default or may be null is read-only there. A seed may have every field.
 * In an update, null means absent if the rules say so; otherwise, and in a patch (RFC 7396), it
 * removes.
 */
export function fieldMember(
  field: Field,
  input: InputKind,
  { isStrict = true, ignoresNull = false }: Partial<ContentRules> = {},
): Member<Value> {
  const { create, update, assign, identity, nullable, isOptional } = field;
  const ifNull = takesNull(field) ? ('is a value' as const) : undefined;
  if (input !== 'create' && input !== 'seed') {
    if (!update) return readOnlyMember(field, input);
    const ifIgnored = input === 'update' && ignoresNull ? ('is absent' as const) : undefined;
    const ifRemoved = isOptional ? ('is a value' as const) : ifNull;
    const treatment = { ifNull: ifIgnored ?? ifRemoved };
    return memberWith(field, { isStrict, hasDefaults: false }, treatment);
  }
  const isOfSeed = input === 'seed';
  const memberRules = { isStrict, hasDefaults: true };
  if (identity !== undefined || assign !== undefined) {
    return isOfSeed ? memberWith(field, memberRules, { ifNull }) : readOnlyMember(field, input);
  }
  const { default: columnDefault = null } = field;
  const { notBlank, ifMissing, default: value = columnDefault, required } = create ?? {};
  const hasFallback = (value !== null || nullable) && !required;
  if (hasFallback && create === undefined && !isOfSeed) return readOnlyMember(field, input);
  const isAbsent = !hasFallback || (isOptional && create?.default === undefined);
  const fallback = isAbsent ? undefined : value;
  const treatment = { isRequired: !hasFallback, fallback, ifNull, ifMissing };
  return memberWith(field, memberRules, treatment, notBlank);
}

/** @param treatment of an absent or null member @param notBlank the message for a blank text */
function memberWith(
  field: Field,
  rules: MemberRules,
  treatment: Omit<Member<Value>, keyof Shape<Value>>,
  notBlank?: string,
): Member<Value> {
  const { description, aliases, json } = field;
  const { fallback, ifNull } = treatment;
  const value = json === undefined ? valueShape(field, notBlank) : jsonShape(json, rules);
  return {
    ...treatment,
    aliases,
    // Descriptions state the defaults, because generators of clients conclude from `default` that
    // the member is required.
    get schema() {
      const text = json === undefined ? exactJsonText(fallback) : fallback;
      const ifAbsent = fallback === undefined ? '' : ` If absent: ${text}.`;
      const type = nullableSchema(value.schema, ifNull !== undefined);
      return { ...type, description: description + ifAbsent };
    },
    read: value.read,
  };
}

/** Later versions may have more members. */
const IN_RESPONSE = { isStrict: false, hasDefaults: false };

/** The schema of an item in a response, which has all members that are not optional. */
export function itemSchema(fields: Fields): JsonSchema {
  const schemas = mapValues(fields, (field) => {
    const { kind, json, rules: { pattern, enum: allowed } = {}, maxLength, description } = field;
    const { minimum, maximum } = rulesFor(field) ?? {};
    const type =
      json === undefined ? VALUE_KINDS[kind].schema : jsonShape(json, IN_RESPONSE).schema;
    const limits = limitsOf({ minimum, maximum, maxLength, pattern, enum: allowed });
    return { ...nullableSchema({ ...type, ...limits }, takesNull(field)), description };
  });
  const isOptional = (name: string) => fields[name]?.isOptional === true;
  const names = Object.keys(fields);
  const pick = (chosen: readonly string[]) =>
    Object.fromEntries(chosen.map((name) => [name, schemas[name]]));
  return {
    ...objectSchema(pick(names.filter((name) => !isOptional(name)))),
    properties: schemas,
  };
}

/** The item that a create request makes, as an example; none if a rule allows no usual value. */
export function examplesOf(fields: Fields, request: JsonObject): readonly JsonObject[] {
  const example = mapValues(fields, (field, name) => {
    const { kind, json, create, identity, isOptional } = field;
    const usual = json?.type === 'object' ? '{}' : (identity?.from ?? VALUE_KINDS[kind].example);
    const initial = create?.default ?? field.default;
    const sample = initial ?? (isOptional ? undefined : usual);
    const isText = json !== undefined && typeof sample === 'string';
    return request[name] ?? (isText ? parseJson(sample) : sample);
  });
  const rules = { fields, alsoKnown: {}, isStrict: true, ignoresNull: false };
  const validation = new Validation();
  contentShape(rules, 'seed').read(example, validation);
  return validation.violations.length === 0 ? [example] : [];
}

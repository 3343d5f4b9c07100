import {
  exactJsonText,
  type JsonObject,
  type JsonSchema,
  mapValues,
  objectSchema,
} from '../../lib/json/index.ts';
import { codePointLength, type Integer, type Kind, type Value } from '../../lib/table/index.ts';
import {
  type ContentRules,
  type Field,
  type Fields,
  type FieldValues,
  type InputKind,
  type Rules,
  rulesFor,
} from './field.ts';
import { type Member, object, type Shape } from './shape.ts';
import type { Validation } from './validation.ts';
import { isBlank, NOT_BLANK_PATTERN, VALUE_KINDS } from './value-kind.ts';

/** The shape of an input: the fields that it can set. Other known names are ignored. */
export function contentShape(
  { fields, alsoKnown, isStrict }: ContentRules,
  input: InputKind,
): Shape<FieldValues> {
  const members = Object.entries(fields).flatMap(([name, field]) => {
    const member = fieldMember(field, input);
    return member === undefined ? [] : [[name, member] as const];
  });
  return object<Record<string, Value>>(Object.fromEntries(members), {
    knownNames: mapValues({ ...alsoKnown, ...fields }, ignoredMember),
    ignoresUnknown: !isStrict,
  });
}

/**
 * The member for a field in an input; undefined if it is ignored. A create request requires a field
 * that has no other source of a value, like a NOT NULL column without a DEFAULT in SQL, and one that
 * is `create.required`. It ignores a field without `create` that has a default or may be null. A seed may have
 * every field. In an update, null means absent; in a patch, it removes (RFC 7396).
 */
export function fieldMember(field: Field, input: InputKind): Member<Value> | undefined {
  const { create, update, assign, identity, nullable, default: columnDefault = null } = field;
  const ifNull = nullable ? ('is a value' as const) : undefined;
  if (input === 'update' || input === 'patch') {
    if (!update) return undefined;
    return memberWith(field, { ifNull: input === 'update' ? 'is absent' : ifNull });
  }
  const isOfSeed = input === 'seed';
  if (identity !== undefined || assign !== undefined) {
    return isOfSeed ? memberWith(field, { ifNull }) : undefined;
  }
  const { notBlank, ifMissing, default: value = columnDefault, required } = create ?? {};
  const hasFallback = (value !== null || nullable) && !required;
  if (hasFallback && create === undefined && !isOfSeed) return undefined;
  const fallback = hasFallback ? value : undefined;
  return memberWith(field, { isRequired: !hasFallback, fallback, ifNull, ifMissing }, notBlank);
}

/** The member for a field that this input cannot set, with the type that it has in responses. */
function ignoredMember({ kind, nullable = false, aliases }: Field) {
  return {
    aliases,
    get schema() {
      const { type, format } = VALUE_KINDS[kind].schema;
      const ofResponse = nullableSchema({ type, format }, nullable);
      return { ...ofResponse, readOnly: true, description: 'Ignored.' };
    },
  };
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

/**
 * The shape of a value of a field, whose type is checked before its rules.
 * @param notBlank the message for a blank text, which Bean Validation calls NotBlank
 */
export function valueShape(
  field: Pick<Field, 'kind' | 'rules' | 'identity'>,
  notBlank?: string,
): Shape<Value> {
  const { fromJson, jsonForm, range } = VALUE_KINDS[field.kind];
  const rules: Rules = { ...range, ...rulesFor(field) };
  return {
    get schema() {
      const pattern = notBlank === undefined ? {} : { pattern: NOT_BLANK_PATTERN };
      return { ...requestSchemaOf(field.kind), ...limitsOf({ ...rules }), ...pattern };
    },
    read(given, validation) {
      const value = fromJson(given);
      if (value === undefined) {
        return validation.violate('type', `must be ${jsonForm}${roundingHint(given)}`);
      }
      if (typeof value === 'string') checkText(value, rules, notBlank, validation);
      else if (typeof value !== 'boolean') checkInteger(value, rules, validation);
      return value;
    },
  };
}

/** Advises a program to pass a bigint. The integers of JSON are read with all digits. */
function roundingHint(given: unknown): string {
  const isRounded = Number.isInteger(given) && !Number.isSafeInteger(given);
  return isRounded ? '; send a bigint, because this number may be rounded' : '';
}

function checkText(
  text: string,
  { minLength = 0, maxLength = text.length }: Rules,
  notBlank: string | undefined,
  validation: Validation,
): void {
  if (!text.isWellFormed()) validation.violate('well-formed', NOT_WELL_FORMED);
  if (notBlank !== undefined && isBlank(text)) validation.violate('not-blank', notBlank);
  // Counts characters only if the number of UTF-16 units does not decide.
  if (text.length < 2 * minLength && codePointLength(text) < minLength) {
    validation.violate('min-length', `must be at least ${characters(minLength)} long`);
  }
  if (text.length > maxLength && codePointLength(text) > maxLength) {
    validation.violate('max-length', `must be at most ${characters(maxLength)} long`);
  }
}

/** UTF-8 cannot encode lone surrogates. */
const NOT_WELL_FORMED = 'must be well-formed Unicode, without a lone surrogate';

function checkInteger(value: Integer, { minimum, maximum }: Rules, validation: Validation): void {
  if (minimum !== undefined && value < minimum) {
    validation.violate('minimum', `must be at least ${minimum}`);
  }
  if (maximum !== undefined && value > maximum) {
    validation.violate('maximum', `must be at most ${maximum}`);
  }
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
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

/** The schema of any value of a kind in a request. */
export function requestSchemaOf(kind: Kind): JsonSchema {
  const { schema, requestSchema = schema } = VALUE_KINDS[kind];
  return requestSchema;
}

function nullableSchema({ type, ...rest }: JsonSchema, isNullable: boolean): JsonSchema {
  return { type: isNullable ? [type, 'null'] : type, ...rest };
}

/** The limits that a JSON number can express. `format` implies the limits of 64-bit integers. */
function limitsOf(limits: Readonly<Record<string, Integer | undefined>>): JsonSchema {
  const exact = Object.entries(limits).flatMap(([keyword, limit]) =>
    limit !== undefined && Number.isSafeInteger(Number(limit)) ? [[keyword, Number(limit)]] : [],
  );
  return Object.fromEntries(exact);
}

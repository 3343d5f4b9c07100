import { type JsonSchema, mapValues, objectSchema } from '../../lib/json/index.ts';
import type { Integer, Kind } from '../../lib/table/index.ts';
import {
  type Field,
  type Fields,
  type InputKind,
  type InputMember,
  inputMemberOf,
  rulesFor,
} from './field.ts';
import { jsonText } from './serializer.ts';
import { NOT_BLANK_PATTERN, VALUE_KINDS } from './value-kind.ts';

/** The schema of an item in a response, which has all members. */
export function itemSchema(fields: Fields): JsonSchema {
  const members = mapValues(fields, (field) => {
    const { kind, nullable, maxLength, description } = field;
    const { minimum, maximum } = rulesFor(field) ?? {};
    const type = nullableSchema(VALUE_KINDS[kind].schema, nullable);
    return { ...type, ...limitsOf({ minimum, maximum, maxLength }), description };
  });
  return objectSchema(members);
}

/**
 * The schema of an input. Descriptions state the defaults, because generators of clients conclude
 * from `default` that the member is required.
 */
export function contentSchema(fields: Fields, input: InputKind): JsonSchema {
  const members = Object.entries(fields).flatMap(([name, field]) => {
    const member = inputMemberOf(field, input);
    return member === undefined ? [] : [{ name, field, member }];
  });
  const required = members.flatMap(({ name, member }) => (member.isRequired ? name : []));
  const properties = Object.fromEntries(
    members.map(({ name, field, member }) => [name, memberSchema(field, member)]),
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

function memberSchema(field: Field, member: InputMember): JsonSchema {
  const { description } = field;
  const { fallback, ifNull, notBlank } = member;
  const { range } = VALUE_KINDS[field.kind];
  const text = fallback !== undefined && jsonText(fallback);
  return {
    ...nullableSchema(typeSchema(field.kind), ifNull !== 'is a violation'),
    ...limitsOf({ ...range, ...rulesFor(field) }),
    ...(notBlank === undefined ? {} : { pattern: NOT_BLANK_PATTERN }),
    description: text ? `${description} If absent: ${text}.` : description,
  };
}

/** The schema of any value of a kind in a request. */
export function typeSchema(kind: Kind): JsonSchema {
  const { schema, requestSchema = schema } = VALUE_KINDS[kind];
  return requestSchema;
}

function nullableSchema({ type, ...rest }: JsonSchema, nullable = false): JsonSchema {
  return { type: nullable ? [type, 'null'] : type, ...rest };
}

/** The limits that a JSON number can express. `format` implies the limits of 64-bit integers. */
function limitsOf(limits: Readonly<Record<string, Integer | undefined>>): JsonSchema {
  const exact = Object.entries(limits).flatMap(([keyword, limit]) =>
    limit !== undefined && Number.isSafeInteger(Number(limit)) ? [[keyword, Number(limit)]] : [],
  );
  return Object.fromEntries(exact);
}

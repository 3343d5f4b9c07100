import type { JsonObject } from '../json/json-object.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { Kind } from '../table/schema/column.ts';
import type { ComputedMembers } from './computed.ts';
import {
  type CreateOptions,
  createDefaultOf,
  createOptionsOf,
  type Field,
  type Fields,
} from './field.ts';
import { NOT_BLANK_PATTERN } from './text.ts';
import { VALUE_KINDS } from './value-kind.ts';

/**
 * The schema of an item in a response: every member is always present. Its limits are those of the
 * store.
 */
export function itemSchema(fields: Fields, computed: ComputedMembers = {}): JsonSchema {
  const stored = propertiesOf(fields, (field) => {
    const { kind, nullable, identity, maxLength, rules = {}, description } = field;
    const { minimum = identity?.from, maximum = identity?.to } = rules;
    return {
      ...nullableSchema(VALUE_KINDS[kind].schema, nullable),
      ...limitsOf({ minimum, maximum, maxLength }),
      description,
    };
  });
  const made = Object.entries(computed).map(([name, { schema }]) => [name, schema]);
  const properties = { ...stored, ...Object.fromEntries(made) };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** The item that a create request with these values makes; what is assigned is an example. */
export function itemExample(
  fields: Fields,
  values: JsonObject,
  computed: ComputedMembers = {},
): JsonObject {
  const stored = Object.entries(fields).map(([name, field]) => {
    const { [name]: value = createDefaultOf(field) ?? null } = values;
    return [name, jsonValueOf(value ?? (field.nullable ? null : VALUE_KINDS[field.kind].example))];
  });
  const made = Object.entries(computed).map(([name, { example }]) => [name, example]);
  return Object.fromEntries([...stored, ...made]);
}

/**
 * The schema of a create request. Defaults are given in words, because client generators read the
 * keyword `default` as a promise that the member is present, and then require it in requests, too.
 */
export function createSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) => {
    const options = createOptionsOf(field);
    if (options === undefined) return undefined;
    const schema = requestSchema(field, field.nullable === true, options);
    const fallback = createDefaultOf(field);
    if (fallback === undefined) return schema;
    const text = fallback === null ? 'null' : VALUE_KINDS[field.kind].toJson(fallback);
    return { ...schema, description: `${field.description} If absent: ${text}.` };
  });
  const required = Object.keys(properties).filter((name) => {
    const field = fields[name];
    return field !== undefined && createDefaultOf(field) === undefined;
  });
  return { type: 'object', required, properties };
}

/** The schema of an update request: every member may be absent or null. */
export function updateSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) =>
    field.update === true ? requestSchema(field, true) : undefined,
  );
  return { type: 'object', properties };
}

/** The schema of a patch: null removes the value of a nullable field. */
export function patchSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) =>
    field.update === true ? requestSchema(field, field.nullable === true) : undefined,
  );
  return { type: 'object', properties };
}

/** The schema of any value of a kind in a request, or null. */
export function typeSchema(kind: Kind, nullable = false): JsonSchema {
  const { schema, requestSchema = schema } = VALUE_KINDS[kind];
  return nullableSchema(requestSchema, nullable);
}

/** A schema that allows null as well, if so. */
export function nullableSchema({ type, ...rest }: JsonSchema, nullable = false): JsonSchema {
  return { type: nullable ? [type, 'null'] : type, ...rest };
}

function requestSchema(field: Field, nullable: boolean, options: CreateOptions = {}): JsonSchema {
  return {
    ...typeSchema(field.kind, nullable),
    ...limitsOf({ ...VALUE_KINDS[field.kind].range, ...field.rules }),
    ...(options.notBlank === undefined ? {} : { pattern: NOT_BLANK_PATTERN }),
    description: field.description,
  };
}

/** The limits that a JSON number can express. The format of a 64-bit integer says the others. */
function limitsOf(limits: Readonly<Record<string, number | bigint | undefined>>): JsonSchema {
  const exact = Object.entries(limits).flatMap(([keyword, limit]) =>
    limit !== undefined && Number.isSafeInteger(Number(limit)) ? [[keyword, Number(limit)]] : [],
  );
  return Object.fromEntries(exact);
}

/** Converts 64-bit integers, which `JSON.stringify` does not accept. */
function jsonValueOf<T>(value: T): T | number {
  return typeof value === 'bigint' ? Number(value) : value;
}

function propertiesOf(
  fields: Fields,
  schemaOf: (field: Field) => JsonSchema | undefined,
): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    const schema = schemaOf(field);
    if (schema !== undefined) properties[name] = schema;
  }
  return properties;
}

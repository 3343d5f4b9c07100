import type { JsonSchema } from '../json/schema.ts';
import type { Kind } from '../table/schema/column.ts';
import {
  type CreateOptions,
  createDefaultOf,
  createOptionsOf,
  type Field,
  type Fields,
} from './field.ts';
import { VALUE_KINDS } from './value-kind.ts';

/** The schema of an item in a response: every member is always there. */
export function itemSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) => ({
    ...typeSchema(field.kind, field.nullable === true),
    description: field.description,
  }));
  return { type: 'object', required: Object.keys(properties), properties };
}

/** The schema of a create request. */
export function createSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) => {
    const options = createOptionsOf(field);
    if (options === undefined) return undefined;
    const schema = requestSchema(field, field.nullable === true, options);
    const fallback = createDefaultOf(field);
    return fallback === undefined ? schema : { ...schema, default: jsonValueOf(fallback) };
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

/** The schema of a patch: null removes the value of a field that may have none. */
export function patchSchema(fields: Fields): JsonSchema {
  const properties = propertiesOf(fields, (field) =>
    field.update === true ? requestSchema(field, field.nullable === true) : undefined,
  );
  return { type: 'object', properties };
}

/** The schema of any value of a kind, or null. */
export function typeSchema(kind: Kind, nullable = false): JsonSchema {
  const { type, ...rest } = VALUE_KINDS[kind].schema;
  return { type: nullable ? [type, 'null'] : type, ...rest };
}

function requestSchema(field: Field, nullable: boolean, options: CreateOptions = {}): JsonSchema {
  // The range of a 64-bit integer is more than a JSON number can say; its format says it.
  const range = field.kind === 'bigint' ? {} : VALUE_KINDS[field.kind].range;
  const limits = { ...range, ...field.rules };
  const schema: Record<string, unknown> = {
    ...typeSchema(field.kind, nullable),
    description: field.description,
  };
  for (const [keyword, limit] of Object.entries(limits)) schema[keyword] = jsonValueOf(limit);
  if (options.notBlank !== undefined) schema.pattern = '\\P{White_Space}';
  return schema;
}

/** A schema is written by `JSON.stringify`, which takes no 64-bit integers. */
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

import type { Kind } from '../table/column.ts';
import type { Field, Fields, Rules } from './field.ts';

/** A JSON Schema (draft 2020-12), as far as this service writes one. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const TYPES: Readonly<Record<Kind, { type: string; format?: string }>> = {
  integer: { type: 'integer', format: 'int32' },
  bigint: { type: 'integer', format: 'int64' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  timestamp: { type: 'string', format: 'local-date-time' },
};

/** The schema of an item in an answer: every member is always there. */
export function itemSchema(fields: Fields): JsonSchema {
  const properties = mapFields(fields, (field) => ({
    ...typeSchema(field.kind, field.nullable === true),
    description: field.description,
  }));
  return { type: 'object', required: Object.keys(properties), properties };
}

/** The schema of a create request. */
export function createSchema(fields: Fields): JsonSchema {
  const properties = mapFields(fields, (field) => {
    if (field.create === undefined) return undefined;
    const schema = requestSchema(field, field.create, field.nullable === true);
    return field.create.default === undefined
      ? schema
      : { ...schema, default: field.create.default };
  });
  const required = Object.keys(properties).filter(
    (name) => fields[name]?.create?.default === undefined,
  );
  return { type: 'object', required, properties };
}

/** The schema of an update request: every member may be absent or null. */
export function updateSchema(fields: Fields): JsonSchema {
  const properties = mapFields(
    fields,
    (field) => field.update && requestSchema(field, field.update, true),
  );
  return { type: 'object', properties };
}

function requestSchema(field: Field, rules: Rules, nullable: boolean): JsonSchema {
  const { notBlank, ...keywords } = rules;
  const schema: Record<string, unknown> = {
    ...typeSchema(field.kind, nullable),
    description: field.description,
  };
  for (const keyword of ['minLength', 'maxLength', 'minimum', 'maximum'] as const) {
    if (keywords[keyword] !== undefined) schema[keyword] = keywords[keyword];
  }
  if (notBlank !== undefined) schema.pattern = '\\P{White_Space}';
  return schema;
}

/** The schema of any value of a kind, or null. */
export function typeSchema(kind: Kind, nullable = false): JsonSchema {
  const { type, ...rest } = TYPES[kind];
  return { type: nullable ? [type, 'null'] : type, ...rest };
}

function mapFields(
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

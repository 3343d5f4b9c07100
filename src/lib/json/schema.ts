/** A JSON Schema (draft 2020-12), as far as this service writes one. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schema of objects with required and optional members, each with its own schema. */
export function objectSchema(
  required: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const properties = { ...required, ...optional };
  return { type: 'object', required: Object.keys(required), properties };
}

/** A schema that a document refers to by name, wherever another schema uses it. */
export class NamedSchema {
  /** Makes it assignable to JsonSchema. The document writes a reference in its place. */
  readonly [keyword: string]: unknown;
  readonly name: string;
  /** Creates the schema on demand, because few processes write a document. */
  readonly make: () => JsonSchema;

  constructor(name: string, make: () => JsonSchema) {
    this.name = name;
    this.make = make;
  }
}

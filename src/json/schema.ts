/** A JSON Schema (draft 2020-12), as far as this service writes one. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A schema that a document refers to by name, wherever another schema uses it. */
export class NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;

  constructor(name: string, schema: JsonSchema) {
    this.name = name;
    this.schema = schema;
  }
}

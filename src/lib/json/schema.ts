/** A JSON Schema (draft 2020-12), as far as this service writes one. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** @param properties the required members @param others the optional members */
export function objectSchema(
  properties: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const required = Object.keys(properties);
  return { type: 'object', required, properties: { ...properties, ...others } };
}

/** Maps each value of an object, under the same name. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}

/** A schema that a document refers to by name, wherever another schema uses it. */
export class NamedSchema {
  readonly name: string;
  /** Creates the schema on demand, because few processes write a document. */
  readonly make: () => JsonSchema;

  constructor(name: string, make: () => JsonSchema) {
    this.name = name;
    this.make = make;
  }
}

import { CERTAIN_FIELDS, RESPONSE_FIELDS } from '../http/routing/response-fields.ts';
import type { JsonSchema } from '../json/schema.ts';

/** Maps each value of an object, under the same name. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}

/** Describes header fields: what each means in this response, and the schema of its values. */
export function fieldObjects(
  descriptions: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, JsonSchema>> {
  const objects: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(RESPONSE_FIELDS)) {
    const description = descriptions[name];
    if (description === undefined) continue;
    objects[name] = { description, required: CERTAIN_FIELDS.includes(name) || undefined, schema };
  }
  return objects;
}

import type { Value } from '../table/schema/column.ts';
import type { Fields, FieldValues } from './field.ts';

/** Makes the values that the service assigns when it creates an item, new ones at each call. */
export function assignments(fields: Fields): () => FieldValues {
  const assigned = Object.entries(fields).flatMap(([name, { assign }]) =>
    assign ? [{ name, assign }] : [],
  );
  return () => {
    const values: Record<string, Value> = {};
    for (const { name, assign } of assigned) values[name] = assign();
    return values;
  };
}

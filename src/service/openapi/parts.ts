import { type JsonSchema, mapValues } from '../../lib/json/index.ts';
import type { FieldDescriptions } from '../operation.ts';

/** A reference to a component of the document. */
export function reference(kind: string, name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Header fields that are in each of the responses that describe them. */
const REQUIRED_FIELDS = [
  ...['ETag', 'Cache-Control', 'X-Accel-Buffering', 'X-Content-Type-Options', 'X-Total-Count'],
];

/** Fields whose value is an integer. */
const INTEGER_FIELDS = ['X-Total-Count', 'Retry-After'];

/** Describes header fields. @param required fields that every response has */
export function fieldObjects(descriptions: FieldDescriptions, required = REQUIRED_FIELDS) {
  return mapValues(descriptions, (description, name) => ({
    description,
    required: required.includes(name) || undefined,
    schema: { type: INTEGER_FIELDS.includes(name) ? 'integer' : 'string' },
  }));
}

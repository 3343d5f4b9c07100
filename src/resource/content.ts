import { Problem } from '../http/core/problem.ts';
import { JSON_MEDIA_TYPES, jsonObjectOf } from '../http/request/json-content.ts';
import type { RequestContent } from '../http/routing/operation.ts';
import type { NamedSchema } from '../json/schema.ts';
import type { FieldValues } from './field.ts';
import type { Validator } from './validator.ts';

/** The content of requests that have the fields of a resource as a JSON object. */
export function fieldsContent(
  schema: NamedSchema,
  validate: Validator,
  examples: Readonly<Record<string, unknown>>,
  mediaTypes: readonly string[] = JSON_MEDIA_TYPES,
): RequestContent<FieldValues> {
  return {
    mediaTypes,
    schema,
    examples,
    problems: ['malformed-body', 'validation-failed'],
    of: (request) => {
      const { object, text } = jsonObjectOf(request);
      const validation = validate(object, text);
      if (validation.ok) return validation.values;
      const { violations } = validation;
      const count = violations.length === 1 ? 'one rule' : `${violations.length} rules`;
      throw new Problem('validation-failed', `The request body breaks ${count}`, {
        errors: violations,
      });
    },
  };
}

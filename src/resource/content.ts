import {
  Problem,
  type ProblemCode,
  type ProblemType,
  type Violation,
} from '../http/core/problem.ts';
import { JSON_MEDIA_TYPES, jsonObjectOf } from '../http/request/json-content.ts';
import type { RequestContent } from '../http/routing/operation.ts';
import type { JsonObject } from '../json/json-object.ts';
import { NamedSchema } from '../json/schema.ts';
import type { Fields, FieldValues, RequestKind } from './field.ts';
import { contentSchema } from './schema.ts';
import { validatorOf } from './validator.ts';

/** How the content of requests is described. */
interface ContentDescription {
  /** The name of its schema. */
  readonly name: string;
  /** Valid content, by what it shows. */
  readonly examples: Readonly<Record<string, JsonObject>>;
  /** An example of content that breaks rules. */
  readonly broken: JsonObject;
  readonly mediaTypes?: readonly string[];
}

/** The content of requests that are a JSON object with fields of a resource. */
export function fieldsContent(
  fields: Fields,
  request: RequestKind,
  { name, examples, broken, mediaTypes = JSON_MEDIA_TYPES }: ContentDescription,
): RequestContent<FieldValues> {
  const validate = validatorOf(fields, request);
  const valuesOf = (object: JsonObject, text: string): FieldValues | Problem => {
    const validation = validate(object, text);
    return validation.ok
      ? validation.values
      : brokenRules('validation-failed', validation.violations);
  };
  return {
    mediaTypes,
    schema: new NamedSchema(name, () => contentSchema(fields, request)),
    examples,
    problems: ['malformed-body', 'validation-failed'],
    get problemExamples() {
      const refusal = valuesOf(broken, JSON.stringify(broken));
      return refusal instanceof Problem ? [refusal] : [];
    },
    of: (request) => {
      const { object, text } = jsonObjectOf(request);
      const values = valuesOf(object, text);
      if (values instanceof Problem) throw values;
      return values;
    },
  };
}

/** The problem of content that breaks rules. */
export function brokenRules(
  type: ProblemCode | ProblemType,
  violations: readonly Violation[],
): Problem {
  const count = violations.length === 1 ? 'one rule' : `${violations.length} rules`;
  return new Problem(type, `The content violates ${count}`, { errors: violations });
}

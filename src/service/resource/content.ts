import {
  JSON_MEDIA_TYPE,
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  Problem,
  parsed,
  type Request,
} from '../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonObject,
  NamedSchema,
  parseJsonBytes,
} from '../../lib/json/index.ts';
import type { RequestContent } from '../operation.ts';
import type { Fields, FieldValues, InputKind } from './field.ts';
import { contentSchema } from './schema.ts';
import { Validation } from './validation.ts';
import { checkedList, type Validator, validatorOf } from './validator.ts';

export interface ContentExamples {
  /** Valid create requests, by title. The first one creates the item of all examples. */
  readonly create: Readonly<Record<string, JsonObject>>;
  readonly update: Readonly<Record<string, JsonObject>>;
}

/** Content that is a JSON object with fields of a resource. */
interface FieldsContent extends RequestContent<FieldValues> {
  readonly validate: Validator;
}

/**
 * Describes the content of requests that create or change an item.
 * @param arrayHint completes the detail for content that is an array
 */
export function fieldsContent(
  fields: Fields,
  input: Exclude<InputKind, 'seed'>,
  { create, update }: ContentExamples,
  arrayHint?: (request: Request) => string,
): FieldsContent {
  const validate = validatorOf(fields, input);
  const name = `${input.charAt(0).toUpperCase()}${input.slice(1)}Todo`;
  return {
    validate,
    mediaTypes: input === 'patch' ? MERGE_PATCH_TYPES : JSON_MEDIA_TYPES,
    schema: new NamedSchema(name, () => contentSchema(fields, input)),
    examples: input === 'create' ? create : update,
    problems: ['malformed-body', 'validation-failed'],
    of: (request) => {
      const object = objectOf(request, arrayHint);
      const validation = new Validation();
      const values = validate(object, validation);
      validation.finish();
      return values;
    },
  };
}

const MERGE_PATCH_TYPES = ['application/merge-patch+json', JSON_MEDIA_TYPE];

/** @throws Problem `malformed-body`. For an array, its detail ends with the hint */
function objectOf(request: Request, arrayHint?: (request: Request) => string): JsonObject {
  if (arrayHint === undefined) return jsonObjectOf(request);
  const value = parsed(() => parseJsonBytes(request.content, isObjectOrArray));
  if (isJsonObject(value)) return value;
  const what = `an array of ${value.length}; it must be a JSON object in UTF-8`;
  throw new Problem('malformed-body', `The content is ${what}; ${arrayHint(request)}`);
}

function isObjectOrArray(value: unknown): value is JsonObject | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

/** Describes content that is a JSON array of `FieldsContent`. @param name the schema's name */
export function fieldsListContent(
  name: string,
  { schema: items, validate }: FieldsContent,
  examples: Readonly<Record<string, readonly JsonObject[]>>,
  maxItems: number,
): RequestContent<readonly FieldValues[]> {
  return {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: new NamedSchema(name, () => ({ type: 'array', items, minItems: 1, maxItems })),
    examples,
    problems: ['malformed-body', 'validation-failed'],
    of: (request) => {
      const validation = new Validation();
      const array = jsonArrayOf(request);
      if (array.length === 0) validation.violate([], 'min-items', 'must have at least one item');
      const values = checkedList(array, maxItems, validation).map((object, i) => {
        if (isJsonObject(object)) return validate(object, validation.at(i));
        validation.violate([i], 'type', 'must be an object');
        return {};
      });
      validation.finish();
      return values;
    },
  };
}

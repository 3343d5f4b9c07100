import {
  JSON_MEDIA_TYPE,
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  Problem,
  parsed,
  type Request,
  type RequestContent,
} from '../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonObject,
  NamedSchema,
  numberSources,
  parseJsonBytes,
} from '../../lib/json/index.ts';
import type { Fields, FieldValues, RequestKind } from './field.ts';
import { contentSchema } from './schema.ts';
import { Validation } from './validation.ts';
import { type Validator, validatorOf } from './validator.ts';

/** Examples of content. */
export interface ContentExamples {
  /** Valid create requests, by what they show. The first one makes the item of all examples. */
  readonly create: Readonly<Record<string, JsonObject>>;
  readonly update: Readonly<Record<string, JsonObject>>;
  readonly brokenCreate: JsonObject;
  readonly brokenUpdate: JsonObject;
}

/** Completes what is said of content that is an array. */
type ArrayHint = (request: Request) => string;

/** The content of requests that are a JSON object with fields of a resource. */
export interface FieldsContent extends RequestContent<FieldValues> {
  readonly validate: Validator;
}

/** Makes the content of requests that create or change an item. */
export function fieldsContent(
  fields: Fields,
  request: Exclude<RequestKind, 'seed'>,
  { create, brokenCreate, update, brokenUpdate }: ContentExamples,
  arrayHint?: ArrayHint,
): FieldsContent {
  const validate = validatorOf(fields, request);
  const name = `${request.charAt(0).toUpperCase()}${request.slice(1)}Todo`;
  const [examples, broken] = request === 'create' ? [create, brokenCreate] : [update, brokenUpdate];
  return {
    validate,
    mediaTypes: request === 'patch' ? MERGE_PATCH_TYPES : JSON_MEDIA_TYPES,
    schema: new NamedSchema(name, () => contentSchema(fields, request)),
    examples,
    problems: ['malformed-body', 'validation-failed'],
    get problemExamples() {
      const validation = new Validation();
      validate(broken, validation);
      return validation.violations.length === 0 ? [] : [validation.problem()];
    },
    of: (request) => {
      const { value: object, text } = objectOf(request, arrayHint);
      const validation = new Validation(numberSources(text));
      const values = validate(object, validation);
      validation.finish();
      return values;
    },
  };
}

const MERGE_PATCH_TYPES = ['application/merge-patch+json', JSON_MEDIA_TYPE];

/** @throws Problem `malformed-body`, with a hint for who sends an array if there is one */
function objectOf(request: Request, arrayHint: ArrayHint | undefined) {
  if (arrayHint === undefined) return jsonObjectOf(request);
  const { value, text } = parsed(() => parseJsonBytes(request.content, isObjectOrArray));
  if (isJsonObject(value)) return { value, text };
  const what = `an array of ${value.length}; it must be a JSON object in UTF-8`;
  throw new Problem('malformed-body', `The content is ${what}; ${arrayHint(request)}`);
}

function isObjectOrArray(value: unknown): value is JsonObject | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

/** The content of requests that are a JSON array of such objects; `name` is that of its schema. */
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
      const { value: array, text } = jsonArrayOf(request);
      const validation = new Validation(numberSources(text));
      const { length } = array;
      if (length === 0) validation.violate([], 'min-items', 'must have at least one item');
      if (length > maxItems) {
        validation.violate([], 'max-items', `must have at most ${maxItems} items, not ${length}`);
      }
      const values = array.slice(0, maxItems).map((object, i) => {
        if (isJsonObject(object)) return validate(object, validation.at(i));
        validation.violate([i], 'type', 'must be an object');
        return {};
      });
      validation.finish();
      return values;
    },
  };
}

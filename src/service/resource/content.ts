import {
  JSON_MEDIA_TYPE,
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  Problem,
  type Request,
  type RequestContent,
} from '../../lib/http/index.ts';
import { isJsonObject, type JsonObject, NamedSchema, numberSources } from '../../lib/json/index.ts';
import type { Fields, FieldValues, RequestKind } from './field.ts';
import { contentSchema } from './schema.ts';
import { Validation } from './validation.ts';
import { type Validator, validatorOf } from './validator.ts';

/** What is said of the content of a kind of requests. */
export interface ContentDescription {
  /** The name of its schema. */
  readonly name: string;
  /** Valid content, by what it shows. */
  readonly examples: Readonly<Record<string, JsonObject>>;
  readonly broken: JsonObject;
  /** Completes what is said of content that is an array. */
  readonly arrayHint?: ((request: Request) => string) | undefined;
}

/** The content of requests that are a JSON object with fields of a resource. */
export interface FieldsContent extends RequestContent<FieldValues> {
  readonly validate: Validator;
}

/** Makes the content of a kind of requests. */
export function fieldsContent(
  fields: Fields,
  request: RequestKind,
  { name, examples, broken, arrayHint }: ContentDescription,
): FieldsContent {
  const validate = validatorOf(fields, request);
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
      if (arrayHint && beginsAsArray(request.content)) {
        const { value: array } = jsonArrayOf(request, 'a JSON object');
        const what = `an array of ${array.length}; it must be a JSON object in UTF-8`;
        throw new Problem('malformed-body', `The content is ${what}; ${arrayHint(request)}`);
      }
      const { value: object, text } = jsonObjectOf(request);
      const validation = new Validation(numberSources(text));
      const values = validate(object, validation);
      validation.finish();
      return values;
    },
  };
}

/** The media types of a JSON merge patch (RFC 7396). */
const MERGE_PATCH_TYPES = ['application/merge-patch+json', JSON_MEDIA_TYPE];

/** The beginning of an array, perhaps behind a byte order mark, and how much to look at. */
const ARRAY = /^(?:\xef\xbb\xbf)?[ \t\n\r]*\[/;
const ARRAY_BYTES = 100;
const OPENING_BRACE = 0x7b;

function beginsAsArray(content: Buffer): boolean {
  // Nearly all content begins so, and to make a text of it takes longer than to read it.
  if (content[0] === OPENING_BRACE) return false;
  return ARRAY.test(content.toString('latin1', 0, ARRAY_BYTES));
}

/**
 * The content of requests that are a JSON array of such objects.
 * @param name of its schema
 * @param examples valid content, by what it shows
 */
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

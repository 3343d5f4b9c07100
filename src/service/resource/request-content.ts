import {
  JSON_MEDIA_TYPE,
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  Problem,
  parseContent,
  type Request,
} from '../../lib/http/index.ts';
import { isJsonObject, type JsonObject, NamedSchema } from '../../lib/json/index.ts';
import type { RequestContent } from '../operation.ts';
import type { ContentRules, FieldValues, InputKind } from './field.ts';
import { contentShape } from './item-content.ts';
import { array, type Shape } from './shape.ts';
import { type ChangedItem, Validation } from './validation.ts';

/** Describes content that is a JSON object with fields of a resource. */
export interface FieldsContent extends RequestContent<FieldValues> {
  readonly shape: Shape<FieldValues>;
  /** Reads the content. @param target the item that it changes @throws Problem */
  readonly readFrom: (request: Request, target?: ChangedItem) => FieldValues;
}

/** The media types of a patch (RFC 7396). Plain JSON is read in the same way. */
const MERGE_PATCH_TYPES = ['application/merge-patch+json', JSON_MEDIA_TYPE];

/** Valid content, by title. */
type Examples<T> = Readonly<Record<string, T>>;

/**
 * Describes the content of requests that create or change an item.
 * @param name the name of the schema
 * @param arrayHint completes the detail for content that is an array
 */
export function fieldsContent(
  name: string,
  rules: ContentRules,
  input: Exclude<InputKind, 'seed'>,
  examples: Examples<JsonObject>,
  arrayHint?: (request: Request) => string,
): FieldsContent {
  const shape = contentShape(rules, input);
  return {
    shape,
    mediaTypes: input === 'patch' ? MERGE_PATCH_TYPES : JSON_MEDIA_TYPES,
    schema: new NamedSchema(name, () => ({ ...shape.schema, examples: Object.values(examples) })),
    examples,
    readFrom: (request, target) => readContent(shape, objectIn(request, arrayHint), target),
  };
}

/**
 * Reads a value from content.
 * @param target the item that it changes
 * @throws Problem `validation-failed` with all violations
 */
export function readContent<T>(shape: Shape<T>, given: unknown, target?: ChangedItem): T {
  const validation = new Validation(undefined, target);
  const value = shape.read(given, validation);
  return validation.checkedContent(value);
}

/**
 * Reads a value of a program or a setting.
 * @param subject begins the message @throws InvalidInputError with all violations
 */
export function readInput<T>(shape: Shape<T>, given: unknown, subject: string): T {
  const validation = new Validation();
  const value = shape.read(given, validation);
  return validation.checkedInput(value, subject);
}

/**
 * Reads content that must be a JSON object.
 * @param arrayHint completes the detail for content that is an array
 * @throws Problem `malformed-body`
 */
export function objectIn(request: Request, arrayHint?: (request: Request) => string): JsonObject {
  if (arrayHint === undefined) return jsonObjectOf(request);
  const value = parseContent(request.content, isObjectOrArray);
  if (isJsonObject(value)) return value;
  const finding = `an array of ${value.length}; it must be a JSON object in UTF-8`;
  throw new Problem('malformed-body', `The content is ${finding}; ${arrayHint(request)}`);
}

function isObjectOrArray(value: unknown): value is JsonObject | readonly unknown[] {
  return typeof value === 'object' && value !== null;
}

/**
 * Describes content that is a JSON array of objects, at least one.
 * @param name the name of the schema
 * @param item describes each object
 */
export function fieldsListContent(
  name: string,
  item: FieldsContent,
  examples: Examples<readonly JsonObject[]>,
  maxItems: number,
): RequestContent<readonly FieldValues[]> {
  const shape = array(item.shape, 1, maxItems);
  return {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: new NamedSchema(name, () => ({ ...shape.schema, items: item.schema })),
    examples,
    readFrom: (request) => readContent(shape, jsonArrayOf(request)),
  };
}

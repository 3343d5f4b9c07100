export {
  type ByteString,
  byteString,
  concatBytes,
  jsonArray,
  replaceBytes,
  sliceBytes,
} from './byte-string.ts';
export { numberIn } from './exact-json.ts';
export {
  exactJsonText,
  isJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  MalformedJsonError,
  mapValues,
  parseJson,
  parseJsonBytes,
} from './json-object.ts';
export { jsonPointer } from './json-pointer.ts';
export { elementTexts, mergePatch } from './merge-patch.ts';
export { repeatedMember } from './repeated-member.ts';
export { type JsonSchema, NamedSchema, objectSchema } from './schema.ts';

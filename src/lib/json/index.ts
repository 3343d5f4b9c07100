export { type ByteString, byteString, joined, jsonArray, part, replaced } from './byte-string.ts';
export {
  exactJsonText,
  isJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  MalformedJsonError,
  parseExactJson,
  parseJsonBytes,
} from './json-object.ts';
export { jsonPointer } from './json-pointer.ts';
export { type JsonSchema, mapValues, NamedSchema, objectSchema } from './schema.ts';

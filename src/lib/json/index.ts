export { type ByteString, byteString, joined, part } from './byte-string.ts';
export { elementTexts } from './element-texts.ts';
export { integerOf } from './integer.ts';
export {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  MalformedJsonError,
  parseJsonBytes,
} from './json-object.ts';
export { jsonPointer } from './json-pointer.ts';
export { type JsonMember, type JsonNode, parseJsonTree, scalarOf } from './json-tree.ts';
export { type NumberSources, numberSources } from './number-sources.ts';
export { type JsonSchema, mapValues, NamedSchema, objectSchema } from './schema.ts';

import { mayHaveUserinfo } from '../../../lib/config/index.ts';
import {
  exactJsonText,
  isJsonObject,
  type JsonObject,
  parseJson,
} from '../../../lib/json/index.ts';
import type { Definition } from '../definition.ts';
import { readJsonFile } from '../json-file.ts';
import { InvalidInputError } from '../validation.ts';
import { readResource } from './resource-schema.ts';
import { pathIn } from './schema-source.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The number of schemas of a document that an error names. */
const MAX_NAMES = 5;

/**
 * Reads the resource that a JSON file describes. A fragment, such as
 * `api.json#/components/schemas/Note`, is a JSON pointer (RFC 6901) to its schema.
 * @throws InvalidInputError
 */
export function resourceOfFile(text: string): Definition {
  const [file = '', fragment = ''] = text.split(/#(?=\/|$)/, 2);
  const isShown = !mayHaveUserinfo(text);
  const subject = `the resource${isShown ? ` ${text}` : ''} cannot be used`;
  const document = readJsonFile(file, subject, MAX_FILE_BYTES);
  if (fragment === '') checkNotOpenApi(document, isShown ? file : '', subject);
  return readResource(document, pathIn(fragment), subject);
}

/** Reads the resource that a schema of a program describes. @throws InvalidInputError */
export function resourceOfProgram(schema: JsonObject): Definition {
  // A copy in JSON, which has neither functions nor members that are undefined.
  const text = exactJsonText(schema);
  return readResource(text && parseJson(text), [], 'the resource is invalid');
}

/** @throws InvalidInputError for an OpenAPI document, which names some of its schemas */
function checkNotOpenApi(document: unknown, file: string, subject: string): void {
  if (!isJsonObject(document) || !('openapi' in document)) return;
  const { schemas } = Object(document.components);
  const names = Object.keys(Object(schemas)).slice(0, MAX_NAMES);
  const detail =
    `is an OpenAPI document; name one of its schemas, such as ` +
    `${file}#/components/schemas/${names[0] ?? 'Note'} (it has ${names.join(', ') || 'none'})`;
  throw new InvalidInputError(subject, [{ pointer: '#', code: 'value', detail }]);
}

import { isUtf8 } from 'node:buffer';

/** The maximum depth of a JSON text. An object in an object is 2 deep. */
export const MAX_JSON_DEPTH = 32;

/** A parsed JSON object: any members, with any values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Bytes that are not the expected JSON; the message follows on "The content". */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
}

/** The error of JSON that is nested more than {@link MAX_JSON_DEPTH} deep. */
export function tooDeep(): MalformedJsonError {
  return new MalformedJsonError(`is nested more than ${MAX_JSON_DEPTH} deep`);
}

/**
 * Parses bytes as JSON of a type, and returns its text as well. A byte order mark is dropped. The
 * last of repeated members counts. @throws MalformedJsonError also if it is not UTF-8, or too deep
 */
export function parseJsonBytes<T>(bytes: Buffer, isOfType: (value: unknown) => value is T) {
  const text = jsonTextOf(bytes);
  const value = parseJson(text);
  if (!isOfType(value)) throw new MalformedJsonError(`is ${nameOf(value)}`);
  if (isDeeperThan(value, MAX_JSON_DEPTH)) throw tooDeep();
  return { value, text };
}

/** Whether a JSON value is an array. */
export function isJsonArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a value is an object with members, which neither an array nor a `Map` has. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}

/** Decodes UTF-8 without its byte order mark. @throws MalformedJsonError if it is not UTF-8 */
function jsonTextOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new MalformedJsonError('is not valid UTF-8');
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', hasMark ? 3 : 0);
}

/** Parses a JSON text of any type. @throws MalformedJsonError if it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (JSON_WHITE_SPACE.test(text)) throw new MalformedJsonError('is empty');
    // The engine's message may quote the text, and may cut a surrogate pair.
    const reason = error instanceof Error ? error.message.toWellFormed() : String(error);
    throw new MalformedJsonError(`is not JSON (${reason})`);
  }
}

/** Parses a text as a JSON object; undefined if it is something else. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** JSON's white space (RFC 8259, section 2), which does not include the no-break space. */
const JSON_WHITE_SPACE = /^[ \t\n\r]*$/;

/** Whether a JSON value nests deeper than `levels`. A number or a text has no level. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) {
    return levels === 0 || value.some((element) => isDeeperThan(element, levels - 1));
  }
  if (!isJsonObject(value)) return false;
  if (levels === 0) return true;
  // `for in` makes no list of the members, of which hardly any is nested.
  for (const name in value) if (isDeeperThan(value[name], levels - 1)) return true;
  return false;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

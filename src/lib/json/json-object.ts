import { isUtf8 } from 'node:buffer';
import { parsedWithEscapedNames } from './escaped-names.ts';
import { LostFraction, scanJson, withExactValues } from './exact-json.ts';

/** The maximum depth of a JSON text. An object in an object is 2 deep. */
export const MAX_JSON_DEPTH = 32;

/** A parsed JSON object: any members, with any values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** JSON's white space (RFC 8259, section 2), which does not include the no-break space. */
const JSON_WHITE_SPACE = /^[ \t\n\r]*$/;

/** Bytes that are not the expected JSON. The message completes the sentence "The content …". */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
}

/**
 * Parses bytes as JSON of a type, with the exact values of numbers. A byte order mark is dropped.
 * @throws MalformedJsonError also if the bytes are not UTF-8, or the JSON is too deep
 */
export function parseJsonBytes<T>(bytes: Buffer, isOfType: (value: unknown) => value is T): T {
  const value = parseJson(jsonTextOf(bytes));
  if (!isOfType(value)) throw new MalformedJsonError(`is ${nameOf(value)}`);
  return value;
}

/**
 * Parses a JSON text with the exact values of numbers: an integer that is not safe is a bigint, except
 * for {@link scanJson large ones}, and a number with a fraction is never an integer. Of repeated
 * members, the last one counts.
 * @throws MalformedJsonError if it is not JSON, or too deep
 */
export function parseJson(text: string): unknown {
  const scanned = scanJson(text);
  let value: unknown;
  try {
    value = JSON.parse(scanned.text);
  } catch {
    throw malformed(text);
  }
  if (scanned.depth > MAX_JSON_DEPTH) {
    throw new MalformedJsonError(`is nested more than ${MAX_JSON_DEPTH} deep`);
  }
  if (scanned.hasEscapedName) value = parsedWithEscapedNames(scanned.text);
  return scanned.exact.length > 0 ? withExactValues(value, scanned.exact) : value;
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

/** Accepts any value, for JSON whose type is checked later. */
export function isJson(_: unknown): _ is unknown {
  return true;
}

/**
 * The JSON text of a value, with all digits of a bigint. Members that are undefined are left out.
 * @returns undefined if a part of it is not JSON, or has a lone surrogate, or if it is too deep
 */
export function exactJsonText(value: unknown, levels = MAX_JSON_DEPTH): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') {
    return String(value);
  }
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : undefined;
  if (value instanceof LostFraction) return String(value.double);
  if (levels === 0) return undefined;
  if (Array.isArray(value)) {
    const elements = Array.from(value, (element) => exactJsonText(element, levels - 1));
    return elements.includes(undefined) ? undefined : `[${elements}]`;
  }
  if (!isJsonObject(value)) return undefined;
  if (typeof value.toJSON === 'function') return exactJsonText(value.toJSON(), levels - 1);
  const defined = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = defined.map(([name, member]) => {
    const text = exactJsonText(member, levels - 1);
    return text && name.isWellFormed() ? `${JSON.stringify(name)}:${text}` : undefined;
  });
  return members.includes(undefined) ? undefined : `{${members}}`;
}

/** Whether a JSON value is an array. */
export function isJsonArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a value is an object, but not an array, `Map` or other iterable, nor a parsed number. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false;
  return !(value instanceof LostFraction);
}

/** Decodes UTF-8 without its byte order mark. @throws MalformedJsonError if it is not UTF-8 */
function jsonTextOf(bytes: Buffer): string {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasMark ? 3 : 0);
  // Decoding replaces invalid bytes by this character, so most texts need no further check.
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw new MalformedJsonError('is not valid UTF-8');
  return text;
}

/** Describes what is wrong with a text. The stand-ins of a scanned text would be in the message. */
function malformed(text: string): MalformedJsonError {
  if (JSON_WHITE_SPACE.test(text)) return new MalformedJsonError('is empty');
  try {
    JSON.parse(text);
  } catch (error) {
    // The engine's message may quote the text, and may cut a surrogate pair.
    const reason = error instanceof Error ? error.message.toWellFormed() : String(error);
    return new MalformedJsonError(`is not JSON (${reason})`);
  }
  return new MalformedJsonError('is not JSON');
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'bigint' || value instanceof LostFraction) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Maps each value of an object, under the same name. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}

import { isUtf8 } from 'node:buffer';
import { Problem } from './problem.ts';

/** How deep a body may nest: an object in an object is 2 deep. */
export const MAX_JSON_DEPTH = 32;

/** A JSON object as it was parsed: any member may be there, with any value. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a body as a JSON object. One leading byte order mark is dropped; of a repeated member the last one
 * counts; `__proto__` is a member like any other.
 * @throws Problem `malformed-body` when the bytes are not UTF-8, not JSON, not an object, or nested too deep.
 */
export function parseJsonObject(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8');
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString('utf8', hasByteOrderMark ? 3 : 0);
  const value = parse(text);
  if (!isObject(value)) throw malformed(`is ${nameOf(value)}`);
  if (isDeeperThan(value, MAX_JSON_DEPTH)) {
    throw malformed(`is nested more than ${MAX_JSON_DEPTH} deep`);
  }
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') throw malformed('is empty');
    // The engine's message may quote the text, and cut a surrogate pair in doing so.
    const reason = error instanceof Error ? error.message.toWellFormed() : String(error);
    throw malformed(`is not JSON (${reason})`);
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) {
    return levels === 0 || value.some((element) => isDeeperThan(element, levels - 1));
  }
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  // Without a list of the members: nearly always, none of them is nested.
  for (const name in value) if (isDeeperThan(value[name], levels - 1)) return true;
  return false;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function malformed(what: string): Problem {
  return new Problem(
    'malformed-body',
    `The request body ${what}; it must be a JSON object in UTF-8`,
  );
}

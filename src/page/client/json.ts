/** A string, a number or a mark: all there is in a JSON text, beside white space and words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MANY_DIGITS = /^-?\d{16,}$/;

/**
 * Reads a JSON text. Integers that a number could not hold come as their digits, as text.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const exact = text.replace(TOKEN, (token) => (MANY_DIGITS.test(token) ? `"${token}"` : token));
  return JSON.parse(exact);
}

/** What can stand in a formatted text: strings and marks that open, close or separate. */
const PART = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Lays a JSON text out in lines, and leaves every character of its values as it is. */
export function formatJson(text: string): string {
  let indent = '';
  let result = '';
  let before = '';
  for (const [part] of text.matchAll(PART)) {
    const isClosing = part === '}' || part === ']';
    const isEmpty = isClosing && (before === '{' || before === '[');
    if (isClosing) indent = indent.slice(2);
    if (isClosing ? !isEmpty : before === '{' || before === '[' || before === ',') {
      result += `\n${indent}`;
    }
    result += part === ':' ? ': ' : part;
    if (part === '{' || part === '[') indent += '  ';
    before = part;
  }
  return result;
}

/** An object that came as JSON, with members of any kind. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an object; an empty one where it is none. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** A value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as text; an empty one where it is neither text nor a number. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

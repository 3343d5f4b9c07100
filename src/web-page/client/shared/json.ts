/** A string or a number. Strings are matched so that digits in them are left alone. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MANY_DIGITS = /^-?\d{16,}$/;

/**
 * Parses a JSON text. Integers with too many digits for a number become strings.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const exact = text.replace(TOKEN, (token) => (MANY_DIGITS.test(token) ? `"${token}"` : token));
  return JSON.parse(exact);
}

/** A token of a JSON text: a string, a punctuation mark, or any other value. */
const PART = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Indents a JSON text, and leaves every character of its values as it is. */
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

/** A JSON object with members of any kind. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an object; an empty one if it is none. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** A value as a list; an empty one if it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as text; empty if it is neither text nor a number. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

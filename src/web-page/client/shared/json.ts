/** A string or a number. Matches strings to skip the digits in them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON. Integers of 16 digits or more become strings that begin with `mark`, because a number
 * may not have all of their digits.
 * @throws SyntaxError
 */
export function parseJson(text: string, mark = ''): unknown {
  return JSON.parse(text.replace(TOKEN, (token) => token.replace(/^-?\d{16,}$/, `"${mark}$&"`)));
}

/** Writes an object as JSON, with all digits of its integers. A marked text is JSON. */
export function jsonOf(values: JsonRecord): string {
  const members = Object.entries(values).map(([name, value]) => {
    const text = unmarked(value) ?? (typeof value === 'bigint' ? value : JSON.stringify(value));
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members}}`;
}

/** Marks numbers that are kept as text, and JSON. No real text begins with these characters. */
export const MARK = '\ue000\ue001';

/** The text behind the mark; undefined for any other value. */
export function unmarked(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : undefined;
}

/** Writes JSON. Strings that begin with `MARK` are numbers. */
export function markedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1');
}

/** Indents a JSON text, with all digits of its numbers. Other text stays as it is. */
export function formatJson(text: string): string {
  const marked = text.replace(TOKEN, (token) => (/^"/.test(token) ? token : `"${MARK}${token}"`));
  return attempt(() => markedJson(JSON.parse(marked), 2)) ?? text;
}

/** Writes the JSON texts of the elements of an array, with a line for each of several. */
export function linesOf(texts: readonly string[]): string {
  return texts.length < 2 ? `[${texts}]` : `[\n  ${texts.join(',\n  ')}\n]`;
}

/** Returns the result of a function; undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A value as an object; empty if it is not an object. */
export function recordOf(value: unknown): JsonRecord {
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}

/** A value as a list; empty if it is not an array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as text; empty if it is not a string or a number. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

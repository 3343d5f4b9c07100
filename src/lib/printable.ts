/** C0, DEL and C1 controls, which a terminal may execute, and Unicode line separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it has to match them
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

/** Replaces control characters by escapes such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROL, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The maximum length of a quoted string, in UTF-16 units. */
const MAX_QUOTED = 100;

/** Quotes a string as in JSON, on one line. A long one is shortened. */
export function quoted(text: string): string {
  return escapeControls(JSON.stringify(shortened(text)));
}

/** Formats a value of any type for a sentence. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return Symbol.iterator in value ? 'an iterable object' : 'an object';
}

/** Shortens a long string, but never within a character. @param max its UTF-16 units, without `…` */
export function shortened(text: string, max = MAX_QUOTED): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The longest line in bytes, with its end, because Docker splits lines longer than 16 KiB. */
export const MAX_LINE_BYTES = 16_000;

/** A sentence on one line, without control characters. */
export function printable(sentence: string): string {
  return escapeControls(sentence.replaceAll(/\s+/g, ' '));
}

/** A sentence with a line end, cut to the maximum length. */
export function printableLine(sentence: string): string {
  const bytes = Buffer.from(printable(sentence));
  if (bytes.length < MAX_LINE_BYTES) return `${bytes}\n`;
  // A character that was cut in half decodes to U+FFFD.
  const beginning = bytes
    .subarray(0, MAX_LINE_BYTES - 10)
    .toString()
    .replace(/\ufffd$/, '');
  return `${beginning}…\n`;
}

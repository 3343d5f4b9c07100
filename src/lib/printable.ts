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

/**
 * The `://` of a URL, with the userinfo and the `@` after it. All of it may be percent-encoded. In a
 * plain URL, a `%2F` belongs to the password; in an encoded URL, it ends the authority. An `&` ends
 * a URL in a query string, but not one that begins the text; so do `+` and `%20` an encoded URL,
 * because they are spaces.
 */
const USERINFO =
  /((?::|%3a)(?:\/|%2f){2})(?:(?<=^[a-z\d+.-]+:\/\/)[^/?#\s"<>]*@)?(?:(?<=:\/\/)[^/?#\s"<>&]*@)?(?:(?:(?!%2f|%3f|%23|%20)[^/?#\s"<>&+])*(?:@|%40))?/gi;

/** The end of userinfo. Looked for first, because few texts have it, and `USERINFO` takes longer. */
const USERINFO_END = /@|%40/;

/** Removes user name and password from all URLs in a text (RFC 3986, section 3.2.1). */
export function withoutUserinfo(text: string): string {
  return USERINFO_END.test(text) ? text.replaceAll(USERINFO, '$1') : text;
}

/** Replaces a secret, so that a reader sees that there was one. */
export const MASK = '[…]';

/** The fewest characters that count as the beginning of a secret, before the mark of a cut text. */
const MIN_BEGINNING = 4;

/**
 * Returns a function that masks secrets in a text: as they are, as in JSON, and percent-encoded. It
 * also masks the beginning of a secret in a quoted string that was cut.
 */
export function secretMask(secrets: readonly string[]): (text: string) => string {
  const all = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  // A secret may contain another one.
  const forms = [...new Set(all)].sort((a, b) => b.length - a.length);
  return (text) => forms.reduce(masked, text);
}

function masked(text: string, secret: string): string {
  let rest = text.replaceAll(secret, MASK);
  const longest = Math.min(secret.length - 1, MAX_QUOTED);
  for (let length = longest; length >= MIN_BEGINNING && rest.includes('…'); length--) {
    rest = rest.replaceAll(`${secret.slice(0, length)}…`, `${MASK}…`);
  }
  return rest;
}

/** The maximum length of a quoted string, in UTF-16 units. */
const MAX_QUOTED = 100;

/** Quotes a string as in JSON, on one line. A long one is cut. */
export function quoted(text: string): string {
  return escapeControls(JSON.stringify(cut(text)));
}

/** Formats a value of any type for a sentence. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return Symbol.iterator in value ? 'an iterable object' : 'an object';
}

/** Cuts a long string, but never within a character. */
function cut(text: string): string {
  if (text.length <= MAX_QUOTED) return text;
  return `${text.slice(0, MAX_QUOTED).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The longest line in bytes, with its end, because Docker splits lines longer than 16 KiB. */
export const MAX_LINE_BYTES = 16_000;

/** A sentence on one line: without control characters and the userinfo of URLs. */
export function printable(sentence: string): string {
  return escapeControls(withoutUserinfo(sentence.replaceAll(/\s+/g, ' ')));
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

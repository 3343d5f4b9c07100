/** C0, DEL and C1 (which a terminal may obey), and the line ends that only some programs know. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

/** The text with `\u001b` and the like in place of characters that are no text. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROL, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The userinfo of a URL with its `@`, all of it possibly percent-encoded, behind `://`. A `%2F` in
 * it belongs to a password, unless the URL is encoded as a whole.
 */
const USERINFO =
  /((?::|%3a)(?:\/|%2f){2})(?:(?<=:\/\/)[^/?#\s]*@)?(?:(?:(?!%2f|%3f|%23)[^/?#\s])*(?:@|%40))?/gi;

/** The text with all URLs in it without user name and password (RFC 3986, section 3.2.1). */
export function withoutUserinfo(text: string): string {
  return text.replaceAll(USERINFO, '$1');
}

/** How many UTF-16 units of a text are quoted. */
const MAX_QUOTED = 200;

/** The text between quotation marks, on one line, and cut if it is long. */
export function quoted(text: string): string {
  const cut = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text;
  return escapeControls(JSON.stringify(cut));
}

/** The longest line in bytes, with its end: Docker splits what is longer than 16 KiB. */
export const MAX_LINE_BYTES = 16_000;

/** A sentence on one line: without control characters and the userinfo of URLs. */
export function printable(sentence: string): string {
  return escapeControls(withoutUserinfo(sentence.replaceAll(/\s+/g, ' ')));
}

/** A sentence that is a line with its end, and not too long. */
export function printableLine(sentence: string): string {
  const bytes = Buffer.from(printable(sentence));
  if (bytes.length < MAX_LINE_BYTES) return `${bytes}\n`;
  // What is left of a character decodes to U+FFFD.
  const beginning = bytes
    .subarray(0, MAX_LINE_BYTES - 10)
    .toString()
    .replace(/\ufffd$/, '');
  return `${beginning}…\n`;
}

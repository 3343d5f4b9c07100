declare const brand: unique symbol;

/**
 * The UTF-8 bytes of a text, each as one character (U+0000 to U+00FF). V8 joins such strings, and
 * `node:http` writes them, faster than other text; and their length is the content length.
 */
export type ByteString = string & { readonly [brand]: true };

/** Encodes a text. ASCII text is its own byte string. */
export function byteString(text: string): ByteString {
  const isAscii = Buffer.byteLength(text) === text.length;
  return branded(isAscii ? text : Buffer.from(text).toString('latin1'));
}

/** Some consecutive bytes of a byte string. */
export function part(bytes: ByteString, start: number, end: number): ByteString {
  return branded(bytes.slice(start, end));
}

/** Replaces each match of a pattern, which has no flag but `g`. */
export function replaced(
  bytes: ByteString,
  pattern: RegExp,
  replacementOf: (match: string) => ByteString,
): ByteString {
  return branded(bytes.replace(pattern, replacementOf));
}

/** Joins the JSON texts of values to that of an array. */
export function jsonArray(texts: readonly ByteString[]): ByteString {
  return branded(`[${texts.join()}]`);
}

/** Joins byte strings. */
export function joined(...parts: readonly ByteString[]): ByteString {
  let text = '';
  for (const part of parts) text += part;
  return branded(text);
}

/** The only cast to the brand, which exists for the compiler only. */
function branded(bytes: string): ByteString {
  return bytes as ByteString;
}

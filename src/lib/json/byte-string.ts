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

/** The bytes from `start` to `end`, without the last. */
export function sliceBytes(bytes: ByteString, start: number, end: number): ByteString {
  return branded(bytes.slice(start, end));
}

/**
 * Replaces each match of a pattern. Its only flag is `g`, because the flags `i` and `u` match
 * characters, not bytes.
 */
export function replaceBytes(
  bytes: ByteString,
  pattern: RegExp,
  replacementOf: (match: string) => ByteString,
): ByteString {
  return branded(bytes.replace(pattern, replacementOf));
}

/** The JSON text of an array, made of the JSON texts of its elements. */
export function jsonArray(texts: readonly ByteString[]): ByteString {
  return branded(`[${texts.join()}]`);
}

export function concatBytes(...parts: readonly ByteString[]): ByteString {
  let text = '';
  for (const part of parts) text += part;
  return branded(text);
}

/** The only cast to the brand, which exists for the compiler only. */
function branded(bytes: string): ByteString {
  return bytes as ByteString;
}

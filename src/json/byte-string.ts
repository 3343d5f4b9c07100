declare const brand: unique symbol;

/**
 * The UTF-8 bytes of a text, each as one character (U+0000 to U+00FF): what Web IDL calls a
 * ByteString. V8 joins such strings and `node:http` writes them faster than text with characters
 * beyond, and their length is the content length.
 */
export type ByteString = string & { readonly [brand]: true };

/** Encodes a text; one of ASCII characters only is its own byte string. */
export function byteString(text: string): ByteString {
  const isAscii = Buffer.byteLength(text) === text.length;
  return branded(isAscii ? text : Buffer.from(text).toString('latin1'));
}

/** One byte string after the other. */
export function joined(first: ByteString, second: ByteString): ByteString {
  return branded(first + second);
}

/** The one place that says so: the brand exists for the compiler only. */
function branded(bytes: string): ByteString {
  return bytes as ByteString;
}

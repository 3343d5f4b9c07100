/** Characters that a path and query must not contain (RFC 3986, sections 3.3 and 3.4). */
const UNSAFE = /[^\w.~!$&'()*+,;=:@/?%-]|%(?![0-9A-Fa-f]{2})/g;

/** Path and query as a URI reference; `//` would name another host (RFC 3986, section 4.2). */
export function uriReference(target: string): string {
  const reference = target.replace(UNSAFE, percentEncoded);
  return reference.startsWith('//') ? `/.${reference}` : reference;
}

/** Percent-encodes a character of a request target, which is one byte. */
function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * The place of a value in a JSON text: a JSON pointer as a URI fragment (RFC 6901, sections 3 and
 * 6). A lone surrogate, which a URI cannot contain, becomes U+FFFD.
 * @param names the names and indexes from the root to the value
 */
export function jsonPointer(...names: readonly (string | number)[]): string {
  return `#${names.map((name) => `/${escaped(String(name))}`).join('')}`;
}

function escaped(name: string): string {
  const text = encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
  // A fragment may have it (RFC 3986, section 3.5), and names such as `$ref` are usual.
  return text.replaceAll('%24', '$');
}

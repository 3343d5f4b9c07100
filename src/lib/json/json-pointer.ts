/**
 * Where a value is in a JSON text: the names on the way to it, as a JSON pointer in a URI fragment
 * (RFC 6901, sections 3 and 6). A lone surrogate, which no URI can carry, becomes U+FFFD.
 */
export function jsonPointer(...names: readonly (string | number)[]): string {
  return `#${names.map((name) => `/${escaped(String(name))}`).join('')}`;
}

function escaped(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}

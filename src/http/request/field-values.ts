const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

/**
 * Splits a list field (RFC 9110, section 5.6.1) in linear time at its commas, except within quoted
 * strings. Elements are trimmed and empty ones dropped; a quoted string may lack its end.
 */
export function splitList(value: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i <= value.length; i++) {
    const character = value[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    if (i < value.length && (quoted || character !== ',')) continue;
    const element = value.slice(start, i).trim();
    if (element !== '') elements.push(element);
    start = i + 1;
  }
  return elements;
}

/** The value of the first such preference (RFC 7240), in lower case; empty if it has none. */
export function preference(
  prefer: string | readonly string[] | undefined,
  name: string,
): string | undefined {
  if (prefer === undefined) return undefined;
  for (const element of splitList(String(prefer))) {
    const [stated = ''] = element.split(';', 1);
    const [token = '', value = ''] = stated.split('=', 2);
    if (token.trim().toLowerCase() !== name) continue;
    return value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
  }
  return undefined;
}

/** The request id that a client sent; undefined if it is absent or not allowed. */
export function requestIdOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' && REQUEST_ID.test(field) ? field : undefined;
}

/** The trace id of a valid `traceparent` (W3C Trace Context, 3.2); later ones may be longer. */
export function traceIdOf(field: string | string[] | undefined): string | undefined {
  if (typeof field !== 'string') return undefined;
  const match = TRACEPARENT.exec(field);
  const isWhole = match?.[0].length === field.length;
  const isLater = !field.startsWith('00') && field[match?.[0].length ?? 0] === '-';
  return isWhole || isLater ? match?.[1] : undefined;
}

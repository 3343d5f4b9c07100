const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** A `traceparent` (W3C Trace Context, 3.2), with the trace id; later versions may be longer. */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** An element of a list; a quoted string in it may lack its end. No text is tried twice. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;

/**
 * Splits a list field (RFC 9110, section 5.6.1) in linear time at its commas, except within quoted
 * strings. Elements are trimmed and empty ones dropped.
 */
export function splitList(value: string): string[] {
  const elements = value.match(ELEMENT) ?? [];
  return elements.map((element) => element.trim()).filter((element) => element !== '');
}

/** The value of the first such preference (RFC 7240), in lower case; empty if it has none. */
export function preference(prefer: string | readonly string[], name: string): string | undefined {
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

/** The trace id of a valid `traceparent`. */
export function traceIdOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? TRACEPARENT.exec(field)?.[1] : undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

/** The request id that a client sent; undefined if it is absent or not allowed. */
export function requestIdOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' && REQUEST_ID.test(field) ? field : undefined;
}

/** The valid trace id of a `traceparent` field; later versions may append to the format of 00. */
export function traceIdOf(field: string | string[] | undefined): string | undefined {
  if (typeof field !== 'string') return undefined;
  const match = TRACEPARENT.exec(field);
  const isWhole = match?.[0].length === field.length;
  const isLater = !field.startsWith('00') && field[match?.[0].length ?? 0] === '-';
  return isWhole || isLater ? match?.[1] : undefined;
}

import { STATUS_CODES } from 'node:http';

/** Names and values in turn. */
export type Fields = readonly (string | number)[];

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

let date: string | undefined;

/**
 * The head of a response after which the connection persists, to the byte as `node:http` writes it.
 * @param keepAliveSeconds how long the connection may be idle
 * @returns undefined if a value has a character that no field value may have
 */
export function persistentHead(
  status: number,
  fields: Fields,
  keepAliveSeconds: number,
): string | undefined {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1];
    if (typeof value === 'string' && NOT_IN_VALUE.test(value)) return undefined;
    head += `${fields[i]}: ${value}\r\n`;
  }
  head += `Date: ${httpDate()}\r\nConnection: keep-alive\r\n`;
  return `${head}Keep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
}

/** The time as a `Date` field has it (RFC 9110, section 6.6.1), made once a second. */
function httpDate(): string {
  if (date !== undefined) return date;
  const now = new Date();
  date = now.toUTCString();
  setTimeout(() => {
    date = undefined;
  }, 1000 - now.getMilliseconds()).unref();
  return date;
}

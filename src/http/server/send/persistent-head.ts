import { STATUS_CODES } from 'node:http';
import { clock } from '../../../clock.ts';
import type { Response } from '../../core/response.ts';

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const statusLines: string[] = [];

let date: string | undefined;

/** The end of heads, as it was made last. */
let latest:
  | { readonly date: string; readonly keepAliveSeconds: number; readonly lines: string }
  | undefined;

/**
 * The head of a response after which the connection persists, to the byte as `node:http` writes it.
 * @param contentLength the length of its content, which must be complete
 * @param keepAliveSeconds how long the connection may be idle
 * @returns undefined if a value has a character that no field value may have
 */
export function persistentHead(
  response: Response,
  contentLength: number,
  keepAliveSeconds: number,
): string | undefined {
  const head = headOf(response, contentLength);
  return head && head + fieldsOfConnection(keepAliveSeconds);
}

/** Status line and fields, except those of the connection. */
function headOf(
  { status, headers, mediaType }: Response,
  contentLength: number,
): string | undefined {
  let head = `${statusLine(status)}Content-Length: ${contentLength}\r\n`;
  if (mediaType !== undefined) head += `Content-Type: ${mediaType}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (NOT_IN_VALUE.test(value)) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

function statusLine(status: number): string {
  statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  return statusLines[status];
}

/** The last fields and the empty line, put together once a second. */
function fieldsOfConnection(keepAliveSeconds: number): string {
  const now = httpDate();
  if (latest?.date !== now || latest.keepAliveSeconds !== keepAliveSeconds) {
    const fields = ['Connection: keep-alive', `Keep-Alive: timeout=${keepAliveSeconds}`];
    const lines = [`Date: ${now}`, ...fields, '', ''].join('\r\n');
    latest = { date: now, keepAliveSeconds, lines };
  }
  return latest.lines;
}

/** The time as a `Date` field has it (RFC 9110, section 6.6.1), made once a second. */
function httpDate(): string {
  if (date === undefined) {
    const now = new Date(clock.time());
    date = now.toUTCString();
    clock.setTimeout(forgetDate, 1000 - now.getMilliseconds()).unref();
  }
  return date;
}

function forgetDate(): void {
  date = undefined;
}

import { STATUS_CODES } from 'node:http';
import { CachedResponse, type Response } from '../core/response.ts';

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const statusLines: string[] = [];

let persistence: { readonly seconds: number; readonly lines: string } | undefined;

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
  const head =
    response instanceof CachedResponse
      ? headOfCached(response, contentLength)
      : headOf(response, contentLength);
  return head && head + fieldsOfConnection(keepAliveSeconds);
}

function headOfCached(response: CachedResponse, contentLength: number): string | undefined {
  if (response.head === undefined) {
    const head = headOf(response, contentLength);
    // In one piece, because a text of pieces is put together again each time it is sent.
    response.head = head && Buffer.from(head, 'latin1').toString('latin1');
  }
  return response.head;
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

/** The last fields and the empty line, made once a second, because `Date` is among them. */
function fieldsOfConnection(seconds: number): string {
  if (persistence?.seconds !== seconds) {
    const now = new Date();
    const fields = [`Date: ${now.toUTCString()}`, 'Connection: keep-alive'];
    const lines = [...fields, `Keep-Alive: timeout=${seconds}`, '', ''].join('\r\n');
    persistence = { seconds, lines };
    setTimeout(forget, 1000 - now.getMilliseconds()).unref();
  }
  return persistence.lines;
}

function forget(): void {
  persistence = undefined;
}

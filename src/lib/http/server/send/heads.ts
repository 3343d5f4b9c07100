import { STATUS_CODES } from 'node:http';
import { clock } from '../../../clock.ts';
import type { Response } from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';
import { setHead } from '../receive/node-internals.ts';

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** The heads of a server's responses. The end of content is found by its length, or by chunks. */
export class Heads {
  /** Whether this Node takes heads as texts (`checkInternals`). */
  areTexts = false;
  readonly #keepAliveSeconds: number;
  /** The second that the last fields name, since 1970. */
  #second = Number.NaN;
  #lastFields = '';

  /** @param keepAliveSeconds how long clients are told that a connection may be idle */
  constructor(keepAliveSeconds: number) {
    this.#keepAliveSeconds = keepAliveSeconds;
  }

  /**
   * Sends the head of a response. Nothing else sends heads.
   * @param framing the length of the content in bytes; absent if there is none
   */
  send(exchange: Exchange, response: Response, framing?: number | 'chunked'): void {
    const { output, message } = exchange;
    const { status } = response;
    const isOld = message.httpVersion === '1.0';
    // There, `node:http` has the connection persist after content with a length alone.
    const isLast = exchange.isLast(response.close || (isOld && typeof framing !== 'number'));
    const persists = output.shouldKeepAlive && !isLast;
    if (this.areTexts && typeof framing === 'number' && persists && !isOld) {
      const head = this.persistent(response, framing);
      if (head !== undefined && setHead(output, status, head)) return;
    }
    const fields: string[] = [];
    if (typeof framing === 'number') fields.push('Content-Length', String(framing));
    // HTTP/1.0 has no chunks: the end of the connection ends the content.
    else if (framing === 'chunked' && !isOld) fields.push('Transfer-Encoding', 'chunked');
    if (response.mediaType !== undefined) fields.push('Content-Type', response.mediaType);
    for (const name in response.headers) fields.push(name, response.headers[name] ?? '');
    if (isLast) fields.push('Connection', 'close');
    else if (persists) fields.push('Keep-Alive', `timeout=${this.#keepAliveSeconds}`);
    output.writeHead(status, fields);
  }

  /** A head after which the connection persists, as `node:http` writes it; undefined if invalid. */
  persistent({ status, headers, mediaType }: Response, contentLength: number): string | undefined {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    head += `Content-Length: ${contentLength}\r\n`;
    if (mediaType !== undefined) head += `Content-Type: ${mediaType}\r\n`;
    let values = '';
    for (const name in headers) {
      const value = headers[name] ?? '';
      values += value;
      head += `${name}: ${value}\r\n`;
    }
    return NOT_IN_VALUE.test(values) ? undefined : head + this.#fieldsOfConnection();
  }

  /** The last fields and the empty line, put together once a second. */
  #fieldsOfConnection(): string {
    const second = Math.floor(clock.time() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      const fields = [`Date: ${new Date(1000 * second).toUTCString()}`, 'Connection: keep-alive'];
      const last = `Keep-Alive: timeout=${this.#keepAliveSeconds}`;
      this.#lastFields = [...fields, last, '', ''].join('\r\n');
    }
    return this.#lastFields;
  }
}

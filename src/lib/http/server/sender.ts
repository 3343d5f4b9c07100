import { STATUS_CODES } from 'node:http';
import { clock } from '../../clock.ts';
import type { ByteString } from '../../json/index.ts';
import type { Content, Response } from '../messages/response.ts';
import { ContentWriter } from './content-writer.ts';
import type { Exchange } from './exchange.ts';
import { releaseResponse } from './node-http.ts';

/** A character that a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** If more bytes than these are unsent, the response takes permits until the system has taken them. */
const SHORT_UNREAD_BYTES = 16 * 1024;

const { isBuffer } = Buffer;

/** Sends the responses of a server. */
export class Sender {
  readonly #vary: string | undefined;
  readonly #canRelease: boolean;
  readonly #keepAlive: string;
  /** Status lines with the content type, by content type and status. */
  readonly #beginnings = new Map<string | undefined, Map<number, string>>();
  /** The `Date` of this second; empty until the first response of it. */
  #date = '';
  /** The fields at the end of most responses, with `#date`: the connection stays open. */
  #keepAliveEnd = '';

  /**
   * @param keepAliveSeconds the `timeout` of the `Keep-Alive` field
   * @param canRelease whether `releaseResponse` works. If not, `node:http` sends all responses
   * @param vary a `Vary` field of every response, besides any that the response has
   */
  constructor(keepAliveSeconds: number, canRelease: boolean, vary?: string) {
    this.#vary = vary;
    this.#canRelease = canRelease;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
  }

  /** Sends a response, if the client is still there. @returns a promise if it is sent in parts */
  send(exchange: Exchange, response: Response): Promise<void> | undefined {
    const { message, output, connection } = exchange;
    const { status, abort, cut } = response;
    if (abort !== undefined) connection.disconnect(abort === 'reset');
    if (connection.isClosed) return undefined;
    const content = wholeIfMade(response.content);
    const isWhole = content === undefined || typeof content === 'string' || isBuffer(content);
    // HTTP/1.0 has no chunks: the end of the connection ends the content.
    const isChunked = !isWhole && message.httpVersion !== '1.0';
    const isLast = connection.beginResponse(exchange, response.close || !(isWhole || isChunked));
    const length = isWhole ? (content?.length ?? 0) : undefined;
    const head = this.#headOf(response, isChunked ? 'chunked' : length, isLast);
    // Monitoring agents read the status from this object.
    output.statusCode = status;
    output.statusMessage = STATUS_CODES[status] ?? 'unknown';
    // `output` has no socket for CONNECT, and for bytes that are not a request.
    const canBypassNode = (this.#canRelease && cut === undefined) || output.socket === null;
    if (isWhole && canBypassNode) this.#write(exchange, head, content);
    else return this.#sendByNode(exchange, head, content, cut);
    return undefined;
  }

  /** Writes a whole response to the socket, with one call of the system. */
  #write(exchange: Exchange, head: string, content: ByteString | Buffer | undefined): void {
    const { connection, output, ticket } = exchange;
    const { socket } = connection;
    const onWritten = (error?: Error | null) => {
      // The client has gone.
      if (error) return;
      releaseResponse(output);
      connection.endResponse();
    };
    if (content === undefined || exchange.method === 'HEAD') {
      socket.write(head, 'latin1', onWritten);
      return;
    }
    exchange.sentBytes = content.length;
    if (typeof content === 'string') socket.write(head + content, 'latin1', onWritten);
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(content, onWritten);
      socket.uncork();
    }
    if (socket.writableLength > SHORT_UNREAD_BYTES) ticket.overdraw(content.length);
  }

  /** Sends a response by `node:http`, which writes content in chunks if its length is unknown. */
  #sendByNode(
    exchange: Exchange,
    head: string,
    content: Content | undefined,
    cut: Promise<void> | undefined,
  ): Promise<void> | undefined {
    const { output, connection } = exchange;
    // A write after the client has gone.
    output.on('error', () => {});
    output.once('finish', connection.endResponse);
    output.writeHead(output.statusCode, output.statusMessage, rawHeadersOf(head));
    if (content === undefined || exchange.method === 'HEAD') output.end();
    else {
      const writer = new ContentWriter(exchange, cut);
      if (typeof content === 'function') {
        exchange.isStream = true;
        output.flushHeaders();
        content(writer);
      } else if (typeof content === 'string' || isBuffer(content)) {
        writer.write(content);
        if (cut === undefined) output.end();
      } else return writer.writeParts(content);
    }
    return undefined;
  }

  /**
   * The head of a response. @param framing the length of the content in bytes, or chunked; absent if
   * the end of the connection ends it @throws TypeError if a value of a field is invalid
   */
  #headOf(response: Response, framing: number | 'chunked' | undefined, isLast: boolean): string {
    const { status, headers, extraHeaders, mediaType } = response;
    let head = this.#beginningOf(status, mediaType);
    if (framing === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
    else if (framing !== undefined && status !== 204 && status !== 304) {
      head += `Content-Length: ${framing}\r\n`;
    }
    let values = '';
    let vary = this.#vary;
    let varyName = 'Vary';
    for (const name in headers) {
      const value = headers[name] ?? '';
      values += value;
      // One field, because some caches read only one of several.
      if (vary !== undefined && isVary(name)) {
        vary = `${value}, ${vary}`;
        varyName = name;
      } else head += `${name}: ${value}\r\n`;
    }
    for (const name in extraHeaders) {
      const all = extraHeaders[name] ?? [];
      values += all.join('');
      if (vary !== undefined && isVary(name)) {
        vary = `${all.join(', ')}, ${vary}`;
        varyName = name;
      } else for (const value of all) head += `${name}: ${value}\r\n`;
    }
    if (NOT_IN_VALUE.test(values)) throw new TypeError('the value of a header field is invalid');
    return head + this.#endOf(isLast, vary, varyName);
  }

  /** Status line and content type. */
  #beginningOf(status: number, mediaType: string | undefined): string {
    const byStatus = this.#beginnings.get(mediaType) ?? new Map<number, string>();
    const known = byStatus.get(status);
    if (known !== undefined) return known;
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    const beginning = mediaType === undefined ? line : `${line}Content-Type: ${mediaType}\r\n`;
    this.#beginnings.set(mediaType, byStatus.set(status, beginning));
    return beginning;
  }

  /** The fields of all responses, and the empty line. `#keepAliveEnd` is made once a second. */
  #endOf(isLast: boolean, vary: string | undefined, varyName: string): string {
    if (this.#date === '') {
      const now = clock.time();
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`;
      this.#keepAliveEnd = lineOf('Vary', this.#vary) + this.#date + this.#keepAlive;
      const renew = () => {
        this.#date = '';
      };
      clock.setTimeout(renew, 1000 - (now % 1000)).unref();
    }
    if (!isLast && vary === this.#vary) return this.#keepAliveEnd;
    return (
      lineOf(varyName, vary) + this.#date + (isLast ? 'Connection: close\r\n\r\n' : this.#keepAlive)
    );
  }
}

/** Content in parts of which the first one is the last is whole content. */
function wholeIfMade(content: Content | undefined): Content | undefined {
  const isParts = typeof content === 'object' && !isBuffer(content);
  return isParts && content.isLast ? content.part : content;
}

/** The fields of a head, as `writeHead` takes them: alternating names and values. */
function rawHeadersOf(head: string): string[] {
  const lines = head.split('\r\n').slice(1, -2);
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

function lineOf(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\r\n`;
}

function isVary(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'vary';
}

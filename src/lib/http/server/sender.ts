import { STATUS_CODES } from 'node:http';
import { clock } from '../../clock.ts';
import { type ByteString, part } from '../../json/index.ts';
import type { Response, StreamWriter } from '../core/response.ts';
import type { Exchange } from './connection/connection.ts';
import { setHead } from './receive/node-internals.ts';

/** A character that a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** The statuses whose responses end with their head (RFC 9112, section 6.3). */
const WITHOUT_CONTENT = [204, 304];

/** Sends the responses of a server. */
export class Sender {
  readonly #keepAliveSeconds: number;
  readonly #vary: string | undefined;
  /** The time of the `Date` in `#lastFields`, in seconds since 1970. */
  #second = Number.NaN;
  #lastFields = '';

  /**
   * @param keepAliveSeconds the `timeout` of the `Keep-Alive` field
   * @param vary a `Vary` field of every response, besides any that the response has
   */
  constructor(keepAliveSeconds: number, vary?: string) {
    this.#keepAliveSeconds = keepAliveSeconds;
    this.#vary = vary;
  }

  /** Sends a response, if the client is still there. @returns a promise if it is sent in parts */
  send(exchange: Exchange, response: Response): Promise<void> | undefined {
    const { content, isTruncated } = response;
    const { output, connection, method } = exchange;
    if (response.abort !== undefined) connection.core.disconnect(response.abort === 'reset');
    if (exchange.isDisconnected) return undefined;
    const isStreamed = typeof content === 'function';
    this.#sendHead(exchange, response, isStreamed ? 'chunked' : content?.length);
    if (method === 'HEAD' || content === undefined) output.end();
    else if (isStreamed) {
      const written = content(new ContentWriter(exchange, isTruncated));
      if (written instanceof Promise) return written;
    } else if (isTruncated) new ContentWriter(exchange, isTruncated).write(content);
    else {
      output.end(content, 'latin1');
      exchange.contentBytes = content.length;
    }
    // Bytes that the operating system has not accepted yet.
    if (output.socket?.writableLength) connection.addBytes(output.socket.writableLength);
    return undefined;
  }

  /** @param framing the length of the content in bytes, or chunked; absent without content */
  #sendHead(exchange: Exchange, response: Response, framing?: number | 'chunked'): void {
    const { output, message } = exchange;
    const { status } = response;
    const isOld = message.httpVersion === '1.0';
    // For HTTP/1.0, `node:http` keeps the connection open only after content with a length.
    const isLast = exchange.begin(response.close || (isOld && typeof framing !== 'number'));
    const persists = output.shouldKeepAlive && !isLast;
    const isDelimited = typeof framing === 'number' || WITHOUT_CONTENT.includes(status);
    if (framing !== 'chunked' && isDelimited && persists && !isOld) {
      const head = this.persistentHead(response, framing);
      if (head !== undefined && setHead(output, status, head)) return;
    }
    const fields: string[] = [];
    if (typeof framing === 'number') fields.push('Content-Length', String(framing));
    // HTTP/1.0 has no chunks: the end of the connection ends the content.
    else if (framing === 'chunked' && !isOld) fields.push('Transfer-Encoding', 'chunked');
    if (response.mediaType !== undefined) fields.push('Content-Type', response.mediaType);
    const { headers = {}, repeatedHeaders = {} } = response;
    const vary: string[] = [];
    const add = (name: string, value: string) => {
      if (this.#vary !== undefined && isVary(name)) vary.push(value);
      else fields.push(name, value);
    };
    for (const name in headers) add(name, headers[name] ?? '');
    for (const [name, values] of Object.entries(repeatedHeaders)) {
      for (const value of values) add(name, value);
    }
    // One field, because some caches read only one of several.
    if (this.#vary !== undefined) fields.push('Vary', [...vary, this.#vary].join(', '));
    if (isLast) fields.push('Connection', 'close');
    else if (persists) fields.push('Keep-Alive', `timeout=${this.#keepAliveSeconds}`);
    output.writeHead(status, fields);
  }

  /**
   * A head after which the connection persists, as `node:http` writes it; undefined if a value is
   * invalid, or if there are repeated fields or two values of `Vary`.
   * @param length the length of the content, in bytes; absent if its status allows none
   */
  persistentHead(response: Response, length?: number): string | undefined {
    const { status, headers, mediaType } = response;
    if (response.repeatedHeaders !== undefined) return undefined;
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    if (length !== undefined) head += `Content-Length: ${length}\r\n`;
    if (mediaType !== undefined) head += `Content-Type: ${mediaType}\r\n`;
    let values = '';
    for (const name in headers) {
      if (this.#vary !== undefined && isVary(name)) return undefined;
      const value = headers[name] ?? '';
      values += value;
      head += `${name}: ${value}\r\n`;
    }
    return NOT_IN_VALUE.test(values) ? undefined : head + this.#fieldsOfConnection();
  }

  /** The last fields and the empty line, cached for a second. */
  #fieldsOfConnection(): string {
    const second = Math.floor(clock.time() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      const vary = this.#vary === undefined ? '' : `Vary: ${this.#vary}\r\n`;
      const date = `Date: ${new Date(1000 * second).toUTCString()}\r\n`;
      const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${this.#keepAliveSeconds}`;
      this.#lastFields = `${vary}${date}${keepAlive}\r\n\r\n`;
    }
    return this.#lastFields;
  }
}

function isVary(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'vary';
}

/** Writes streamed content. */
export class ContentWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #isTruncated: boolean;
  #isCut = false;

  /** @param isTruncated closes the connection after half of the first write */
  constructor(exchange: Exchange, isTruncated = false) {
    this.#exchange = exchange;
    this.#isTruncated = isTruncated;
  }

  get isDrained(): boolean {
    return !(this.#isCut || this.#exchange.output.socket?.writableNeedDrain);
  }

  write(content: ByteString | Buffer): void {
    if (!this.#isTruncated) this.#write(content);
    else if (!this.#isCut) this.#writeHalf(content);
  }

  /** Corked, because `node:http` itself writes in a later tick, outside of the scheduler's time. */
  #write(content: ByteString | Buffer, onWritten?: () => void): void {
    const { output, connection } = this.#exchange;
    const { socket } = output;
    socket?.cork();
    output.write(content, 'latin1', onWritten);
    socket?.uncork();
    this.#exchange.contentBytes += content.length;
    if (!this.isDrained) connection.addBytes(content.length);
  }

  #writeHalf(content: ByteString | Buffer): void {
    this.#isCut = true;
    const { output, connection } = this.#exchange;
    const end = Math.floor(content.length / 2);
    const half = typeof content === 'string' ? part(content, 0, end) : content.subarray(0, end);
    const disconnect = () => connection.core.disconnect();
    output.flushHeaders();
    if (end > 0) this.#write(half, disconnect);
    else disconnect();
  }

  end(): void {
    if (this.isDrained) this.#exchange.output.end();
    else this.disconnect();
  }

  disconnect(): void {
    this.#exchange.output.destroy();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    const { socket } = this.#exchange.output;
    if (event === 'close') this.#exchange.onEnd(callback);
    else if (event === 'end' && socket?.readableEnded) callback();
    else {
      // The response itself has no more `drain` events after a CONNECT request has arrived.
      socket?.on(event, callback);
      this.#exchange.onEnd(() => socket?.off(event, callback));
    }
  }
}

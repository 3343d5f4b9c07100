import type { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { clock } from '../../clock.ts';
import { type ByteString, part } from '../../json/index.ts';
import {
  type ContentSteps,
  type Delivery,
  drainOf,
  type Response,
  type StreamWriter,
} from '../core/response.ts';
import type { Exchange } from './connection/connection.ts';
import { setHead } from './receive/node-internals.ts';

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Sends the responses of a server. */
export class Sender {
  /** Whether this Node takes heads as texts (`checkInternals`). */
  setsHeads = false;
  readonly #keepAliveSeconds: number;
  /** The second, since 1970, that `Date` has in the last fields. */
  #second = Number.NaN;
  #lastFields = '';

  /** @param keepAliveSeconds how long clients are told that a connection may be idle */
  constructor(keepAliveSeconds: number) {
    this.#keepAliveSeconds = keepAliveSeconds;
  }

  /** Sends a response, if the client is still there. @returns a promise if content is in steps */
  send(exchange: Exchange, response: Response): Promise<void> | undefined {
    const { content, steps, delivery } = response;
    const { output, connection, method } = exchange;
    if (response.isAborted) connection.core.disconnect(response.isReset);
    if (exchange.isGone) return undefined;
    const isLive = typeof content === 'function';
    if (method !== 'HEAD' && isLive) {
      // Nothing after it will be served, so requests that follow are not kept waiting.
      this.#sendHead(exchange, { ...response, close: true }, 'chunked');
      content(new ContentWriter(exchange, delivery));
      return undefined;
    }
    this.#sendHead(exchange, response, isLive || steps !== undefined ? 'chunked' : content?.length);
    if (method === 'HEAD' || isLive || content === undefined) output.end();
    else if (steps !== undefined || delivery !== undefined) {
      return sendInParts(exchange, content, steps, new ContentWriter(exchange, delivery));
    } else {
      output.end(content, 'latin1');
      exchange.contentBytes = content.length;
    }
    // What the client does not read at once.
    if (output.socket?.writableLength) connection.addBytes(output.socket.writableLength);
    return undefined;
  }

  /** @param framing the length of the content in bytes, which ends it; absent if there is none */
  #sendHead(exchange: Exchange, response: Response, framing?: number | 'chunked'): void {
    const { output, message } = exchange;
    const { status } = response;
    const isOld = message.httpVersion === '1.0';
    // There, `node:http` has the connection persist after content with a length alone.
    const isLast = exchange.isLast(response.close || (isOld && typeof framing !== 'number'));
    const persists = output.shouldKeepAlive && !isLast;
    if (this.setsHeads && typeof framing === 'number' && persists && !isOld) {
      const head = this.persistentHead(response, framing);
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
  persistentHead({ status, headers, mediaType }: Response, length: number): string | undefined {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    head += `Content-Length: ${length}\r\n`;
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

/** Sends content part by part, each as soon as the client has taken those before. */
function sendInParts(
  exchange: Exchange,
  first: ByteString | Buffer,
  rest: ContentSteps | undefined,
  writer: ContentWriter,
): Promise<void> {
  const drained = drainOf(writer);
  exchange.isRunningSteps = exchange.isSendingSteps = rest !== undefined;
  writer.write(first);
  if (rest !== undefined) rest.take = (part) => writer.write(part);
  return sendRest(exchange, rest, drained);
}

/** An async function retains its arguments, so this one must not have the first part. */
async function sendRest(
  exchange: Exchange,
  rest: ContentSteps | undefined,
  drained: () => Promise<void> | undefined,
): Promise<void> {
  for (let isEnd = rest === undefined; ; ) {
    exchange.setWorkBytes(rest?.bytes ?? 0);
    await drained();
    if (isEnd || rest === undefined || exchange.isGone) break;
    isEnd = await exchange.connection.scheduler.run(rest, exchange, false);
  }
  exchange.output.end();
}

/** Sends content that is made bit by bit: at once, or as a delivery has it. */
export class ContentWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #delivery: Delivery | undefined;
  /** What the delivery has not begun to send, and whether it is sending. */
  readonly #waiting: (ByteString | Buffer)[] = [];
  #isDelivering = false;
  #hasEnded = false;
  readonly #onDrain: (() => void)[] = [];

  constructor(exchange: Exchange, delivery: Delivery | undefined) {
    this.#exchange = exchange;
    this.#delivery = delivery;
    const { socket } = exchange.output;
    // The response itself is told nothing once CONNECT has come.
    socket?.on('drain', this.#drain);
    exchange.onEnd(() => socket?.off('drain', this.#drain));
    // The first bytes of the content may come much later.
    if (delivery !== undefined) exchange.output.flushHeaders();
  }

  get isDrained(): boolean {
    return !this.#isDelivering && !this.#exchange.output.socket?.writableNeedDrain;
  }

  write(content: ByteString | Buffer): void {
    if (this.#delivery === undefined) this.#writeNow(content);
    else this.#waiting.push(content);
    // Nobody waits for it: an event tells that it is done.
    if (this.#delivery !== undefined && !this.#isDelivering) void this.#deliver(this.#delivery);
    if (!this.isDrained) this.#exchange.connection.addBytes(content.length);
  }

  end(): void {
    this.#hasEnded = true;
    if (this.isDrained) this.#exchange.output.end();
    else if (!this.#isDelivering) this.disconnect();
  }

  disconnect(): void {
    this.#exchange.output.destroy();
  }

  on(event: 'drain' | 'close' | 'end', callback: () => void): void {
    const { output } = this.#exchange;
    const { socket } = output;
    const source: EventEmitter | null = event === 'end' ? socket : output;
    if (event === 'drain') this.#onDrain.push(callback);
    else source?.on(event, callback);
    if (event === 'end' && socket?.readableEnded) callback();
  }

  async #deliver({ next = (left) => left, isTruncated = false }: Delivery): Promise<void> {
    this.#isDelivering = true;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      const end = isTruncated ? Math.floor(text.length / 2) : text.length;
      for (let at = 0; at < end; ) {
        this.#exchange.unsentBytes = end - at;
        const count = await next(end - at);
        if (this.#exchange.isGone) return;
        const to = at + count;
        const piece = typeof text === 'string' ? part(text, at, to) : text.subarray(at, to);
        // Until the system has taken it, or never, if the client has gone.
        await new Promise<void>((resolve) => this.#writeNow(piece, resolve));
        at = to;
      }
      this.#exchange.unsentBytes = 0;
      if (isTruncated) this.#exchange.connection.core.disconnect();
    }
    this.#isDelivering = false;
    if (this.#hasEnded) this.#exchange.output.end();
    else this.#drain();
  }

  /** `node:http` alone writes in a later tick, outside of the scheduler's time. */
  #writeNow(content: ByteString | Buffer, onTaken?: () => void): void {
    const { output } = this.#exchange;
    const { socket } = output;
    socket?.cork();
    output.write(content, 'latin1', onTaken);
    socket?.uncork();
    this.#exchange.contentBytes += content.length;
  }

  readonly #drain = (): void => {
    if (this.isDrained) for (const callback of this.#onDrain) callback();
  };
}

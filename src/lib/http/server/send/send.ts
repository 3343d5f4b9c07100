import { STATUS_CODES } from 'node:http';
import { clock } from '../../../clock.ts';
import type { ByteString } from '../../../json/index.ts';
import {
  type ContentSteps,
  type Delivery,
  isInSteps,
  type LiveContent,
  type Response,
} from '../../core/response.ts';
import type { Exchange } from '../connection/exchange.ts';
import { setHead } from '../receive/node-internals.ts';
import { DeliveredOutput } from './delivered-output.ts';
import { DeliveredWriter, ResponseWriter } from './stream-writer.ts';
import { writeNow } from './write-now.ts';

/** What a field value must not contain (RFC 9110, section 5.5). */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** The last fields of heads, with the time; forgotten when its second is over. */
let latest: { readonly keepAliveSeconds: number; readonly lines: string } | undefined;

/** Sends a response, if the client is still there. @returns a promise if content is in steps */
export function send(exchange: Exchange, response: Response): Promise<void> | undefined {
  const { content, rest, delivery } = response;
  if (response.isReset) exchange.connection.reset();
  else if (response.isAborted) exchange.connection.disconnect();
  else if (exchange.isGone) return undefined;
  else if (typeof content === 'function') sendLive(exchange, response, content);
  else if (isInSteps(content)) throw new TypeError('only a route may respond in steps');
  else if (typeof content === 'string' && rest !== undefined) {
    sendHead(exchange, response, 'chunked');
    if (exchange.method !== 'HEAD') return sendInSteps(exchange, content, rest, delivery);
    exchange.output.end();
  } else if (content !== undefined && delivery !== undefined && exchange.method !== 'HEAD') {
    sendHead(exchange, response, content.length);
    return new DeliveredOutput(exchange, delivery).writeAll(content);
  } else sendWhole(exchange, response, content);
  return undefined;
}

function sendWhole(exchange: Exchange, response: Response, content?: ByteString | Buffer): void {
  sendHead(exchange, response, content?.length);
  exchange.output.end(content, 'latin1');
  exchange.contentBytes = exchange.method === 'HEAD' ? 0 : (content?.length ?? 0);
  // What the client does not read at once.
  exchange.hold(exchange.output.socket?.writableLength ?? 0);
}

/** The only place that sends a head; the end of content is found by its length, or by chunks. */
function sendHead(exchange: Exchange, response: Response, framing?: number | 'chunked'): void {
  const { output, connection, message } = exchange;
  const { status } = response;
  const isLast = exchange.isLast(response.close ?? false);
  // Whether its connection persists unless a response says otherwise (RFC 9112, section 9.3).
  const persistsByDefault = output.shouldKeepAlive && message.httpVersion === '1.1';
  if (typeof framing === 'number' && persistsByDefault && !isLast) {
    const head = persistentHead(response, framing, connection.keepAliveSeconds);
    if (head !== undefined && setHead(output, status, head)) return;
  }
  const fields: string[] = [];
  if (typeof framing === 'number') fields.push('Content-Length', String(framing));
  // HTTP/1.0 has no chunks: the end of the connection ends the content.
  else if (framing === 'chunked' && message.httpVersion !== '1.0') {
    fields.push('Transfer-Encoding', 'chunked');
  }
  if (response.mediaType !== undefined) fields.push('Content-Type', response.mediaType);
  for (const name in response.headers) fields.push(name, response.headers[name] ?? '');
  if (isLast) fields.push('Connection', 'close');
  else if (persistsByDefault || (output.shouldKeepAlive && typeof framing === 'number'))
    fields.push('Keep-Alive', `timeout=${connection.keepAliveSeconds}`);
  output.writeHead(status, fields);
}

/** A head after which the connection persists, as `node:http` writes it; undefined if invalid. */
export function persistentHead(
  { status, headers, mediaType }: Response,
  contentLength: number,
  keepAliveSeconds: number,
): string | undefined {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  head += `Content-Length: ${contentLength}\r\n`;
  if (mediaType !== undefined) head += `Content-Type: ${mediaType}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (NOT_IN_VALUE.test(value)) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  return head + fieldsOfConnection(keepAliveSeconds);
}

/** The last fields and the empty line, put together once a second. */
function fieldsOfConnection(keepAliveSeconds: number): string {
  if (latest?.keepAliveSeconds !== keepAliveSeconds) {
    const now = new Date(clock.time());
    const fields = [`Date: ${now.toUTCString()}`, 'Connection: keep-alive'];
    const lines = [...fields, `Keep-Alive: timeout=${keepAliveSeconds}`, '', ''].join('\r\n');
    latest = { keepAliveSeconds, lines };
    const forget = () => {
      latest = undefined;
    };
    clock.setTimeout(forget, 1000 - now.getMilliseconds()).unref();
  }
  return latest.lines;
}

async function sendInSteps(
  exchange: Exchange,
  first: ByteString,
  rest: ContentSteps,
  delivery?: Delivery,
) {
  const { output, connection } = exchange;
  const slow = delivery && new DeliveredOutput(exchange, delivery);
  let goOn = () => {};
  output.on('drain', () => goOn()).on('close', () => goOn());
  let written: Promise<void> | undefined;
  rest.take = (part) => {
    if (slow === undefined) writeNow(exchange, part);
    else written = slow.write(part);
  };
  exchange.isRunningSteps = true;
  rest.take(first);
  for (let isEnd = false; ; ) {
    exchange.hold((rest.bytes ?? 0) + output.writableLength);
    if (written !== undefined) await written;
    if (output.writableNeedDrain) {
      // Until the client has taken everything written, or has disconnected.
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    if (isEnd || exchange.isGone) break;
    isEnd = await connection.scheduler.run(rest, exchange, false);
  }
  output.end();
}

/** Nothing after it will be served, so requests that follow are not kept waiting. */
function sendLive(exchange: Exchange, response: Response, content: LiveContent): void {
  const isHead = exchange.method === 'HEAD';
  sendHead(exchange, { ...response, close: !isHead }, 'chunked');
  const { delivery } = response;
  if (isHead) exchange.output.end();
  else if (delivery === undefined) content(new ResponseWriter(exchange));
  else content(new DeliveredWriter(exchange, new DeliveredOutput(exchange, delivery)));
}

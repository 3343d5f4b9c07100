import type { ServerResponse } from 'node:http';
import type { ByteString } from '../../../json/byte-string.ts';
import {
  type Chunks,
  isChunks,
  isStreamingContent,
  type Response,
  type StreamingContent,
  type StreamWriter,
} from '../../core/response.ts';
import type { Work } from '../../core/work.ts';
import type { Exchange } from '../connection/exchange.ts';
import type { Scheduler } from '../connection/scheduler.ts';
import { setHead } from '../receive/node-internals.ts';
import { persistentHead } from './persistent-head.ts';

/**
 * Sends a response, if the client is still there.
 * @returns a promise if the content comes in chunks: fulfilled when it has been sent or the client
 * has disconnected, rejected with what producing the content throws
 */
export function send(
  exchange: Exchange,
  response: Response,
  scheduler: Scheduler,
): Promise<void> | undefined {
  const { content } = response;
  if (response.isAborted) {
    exchange.connection.cut();
    return undefined;
  }
  if (isChunks(content)) return sendChunks(exchange, response, content, scheduler);
  if (exchange.isGone) return undefined;
  if (isStreamingContent(content)) {
    sendStream(exchange, response, content);
    return undefined;
  }
  if (content === undefined) {
    sendHead(exchange, response);
    exchange.output.end();
  } else {
    sendHead(exchange, response, content.length);
    exchange.output.end(content, 'latin1');
    exchange.contentBytes = exchange.method === 'HEAD' ? 0 : content.length;
  }
  holdUnsent(exchange);
  return undefined;
}

/**
 * The only place that sends the head of a response.
 * @param framing how the end of the content is found: by its length, or chunk by chunk
 */
function sendHead(exchange: Exchange, response: Response, framing?: number | 'chunked'): void {
  const { output, connection, persistsByDefault } = exchange;
  const { status } = response;
  const isLast = exchange.isLast(response.close ?? false);
  if (typeof framing === 'number' && persistsByDefault && !isLast) {
    const head = persistentHead(response, framing, connection.keepAliveSeconds);
    if (head !== undefined && setHead(output, status, head)) return;
  }
  const fields: string[] = [];
  if (typeof framing === 'number') fields.push('Content-Length', String(framing));
  // HTTP/1.0 has no chunks: the end of the connection ends the content.
  else if (framing === 'chunked' && exchange.message.httpVersion !== '1.0') {
    fields.push('Transfer-Encoding', 'chunked');
  }
  if (response.mediaType !== undefined) fields.push('Content-Type', response.mediaType);
  for (const name in response.headers) fields.push(name, response.headers[name] ?? '');
  if (isLast) fields.push('Connection', 'close');
  else if (persistsByDefault || (output.shouldKeepAlive && typeof framing === 'number'))
    fields.push('Keep-Alive', `timeout=${connection.keepAliveSeconds}`);
  output.writeHead(status, fields);
}

async function sendChunks(
  exchange: Exchange,
  response: Response,
  chunks: Chunks,
  scheduler: Scheduler,
): Promise<void> {
  const { output, connection, method } = exchange;
  let held = 0;
  const hold = (bytes: number) => {
    connection.hold(bytes - held);
    held = bytes;
  };
  let isOpen = true;
  const close = () => {
    if (isOpen) chunks.close();
    isOpen = false;
  };
  // The next chunk may be far back in the queue when the client goes.
  output.once('close', close);
  connection.isStreaming = true;
  try {
    if (exchange.isGone) return;
    // The first chunks have been produced, and may wait in the queue for a while.
    hold(chunks.bytes);
    sendHead(exchange, response, 'chunked');
    for (let isEnd = method === 'HEAD'; !isEnd && !exchange.isGone; ) {
      isEnd = await scheduler.proceed(new NextChunk(chunks, exchange), exchange);
      hold(chunks.bytes + output.writableLength);
      if (output.writableNeedDrain) await drained(output);
    }
    output.end();
  } finally {
    close();
    connection.isStreaming = false;
    if (held > 0) hold(0);
  }
}

/** Nothing after it will be served, so requests that follow are not kept waiting. */
function sendStream(exchange: Exchange, response: Response, content: StreamingContent): void {
  const isHead = exchange.method === 'HEAD';
  sendHead(exchange, { ...response, close: !isHead }, 'chunked');
  if (isHead) exchange.output.end();
  else content.open(new ResponseWriter(exchange));
}

/** The writer for live content. */
class ResponseWriter implements StreamWriter {
  readonly #exchange: Exchange;
  readonly #output: ServerResponse;
  #held = 0;

  constructor(exchange: Exchange) {
    const { output } = exchange;
    this.#exchange = exchange;
    this.#output = output;
    output.on('drain', () => this.#hold(0));
    output.once('close', () => this.#hold(0));
  }

  get isDrained(): boolean {
    return !this.#output.writableNeedDrain;
  }

  write(text: ByteString): void {
    writeNow(this.#exchange, text);
    if (!this.isDrained) this.#hold(this.#output.writableLength);
  }

  end(): void {
    if (this.isDrained) this.#output.end();
    else this.cut();
  }

  cut(): void {
    this.#output.destroy();
  }

  onDrain(callback: () => void): void {
    this.#output.on('drain', callback);
  }

  onClose(callback: () => void): void {
    this.#output.once('close', callback);
  }

  onHalfClosed(callback: () => void): void {
    this.#output.socket?.once('end', callback);
  }

  #hold(bytes: number): void {
    if (bytes === this.#held) return;
    this.#exchange.connection.hold(bytes - this.#held);
    this.#held = bytes;
  }
}

/** Produces the next chunk and writes it, which is most of the work. */
class NextChunk implements Work<boolean> {
  readonly #chunks: Chunks;
  readonly #exchange: Exchange;

  constructor(chunks: Chunks, exchange: Exchange) {
    this.#chunks = chunks;
    this.#exchange = exchange;
  }

  get bytes(): number {
    return this.#chunks.bytes;
  }

  /** Returns whether the end was reached. */
  next(): IteratorResult<undefined, boolean> {
    const chunk = this.#chunks.next();
    if (chunk === undefined) return { done: true, value: true };
    if (chunk === '') return { done: false, value: undefined };
    writeNow(this.#exchange, chunk);
    return { done: true, value: false };
  }
}

/** `node:http` writes in a later tick, outside of the scheduler's time. */
function writeNow(exchange: Exchange, chunk: ByteString): void {
  const { socket } = exchange.output;
  socket?.cork();
  exchange.output.write(chunk, 'latin1');
  socket?.uncork();
  exchange.contentBytes += chunk.length;
}

/** Counts what the client does not read at once as held memory. */
function holdUnsent({ output, connection }: Exchange): void {
  const unsent = output.socket?.writableLength ?? 0;
  if (unsent === 0) return;
  connection.hold(unsent);
  output.once('close', () => connection.hold(-unsent));
}

/** Waits until the client has taken everything written, or has disconnected. */
function drained(output: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.on('drain', done);
    output.on('close', done);
  });
}

import type { Exchange } from './connection.ts';
import { PROBLEM_MEDIA_TYPE, type Problem } from './problem.ts';
import { toInstance } from './target.ts';

/** What an operation answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A JSON text, whole or in slices. A slice is made only when the one before it has left, and making it must be
   * short work: other requests are served between two slices.
   */
  readonly body?: string | Buffer | Iterator<string, void>;
}

const MEDIA_TYPE = 'application/json';

/** Sends an answer; the promise, where there is one, fulfils when the last slice is sent or the client has gone. */
export function send(
  exchange: Exchange,
  { status, headers, body }: Answer,
): Promise<void> | undefined {
  if (body === undefined) {
    exchange.response.writeHead(status, withConnection(exchange, headers ?? {}, false));
    exchange.response.end();
    return undefined;
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    sendWhole(exchange, status, MEDIA_TYPE, body, headers);
    return undefined;
  }
  const first = body.next();
  const second = first.done ? first : body.next();
  if (second.done) {
    sendWhole(exchange, status, MEDIA_TYPE, first.value ?? '', headers);
    return undefined;
  }
  const head = { 'Content-Type': MEDIA_TYPE, ...headers };
  exchange.response.writeHead(status, withConnection(exchange, head, false));
  if (exchange.request.method === 'HEAD') {
    body.return?.();
    exchange.response.end();
    return undefined;
  }
  return sendSlices(exchange, first.value + second.value, body);
}

/** Sends a problem, where there is still somebody to send it to; an answer that has begun is cut instead. */
export function sendProblem(exchange: Exchange, problem: Problem): void {
  const { request, response } = exchange;
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = problem.toJson(toInstance(request.url ?? ''));
  sendWhole(exchange, problem.status, PROBLEM_MEDIA_TYPE, text, problem.headers, problem.close);
}

function sendWhole(
  exchange: Exchange,
  status: number,
  mediaType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> | undefined,
  close = false,
): void {
  const head = { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(body), ...headers };
  exchange.response.writeHead(status, withConnection(exchange, head, close));
  exchange.response.end(body);
}

type Head = Record<string, string | number>;

function withConnection(exchange: Exchange, headers: Head, close: boolean): Head {
  return exchange.isLast(close) ? { ...headers, Connection: 'close' } : headers;
}

/** Writes slice after slice: between two of them the event loop turns, and the socket's buffer drains. */
async function sendSlices(
  { response }: Exchange,
  first: string,
  slices: Iterator<string, void>,
): Promise<void> {
  let writable = response.write(first);
  try {
    while (!response.destroyed) {
      await (writable ? turn() : drained(response));
      if (response.destroyed) return;
      const slice = slices.next();
      if (slice.done) {
        response.end();
        return;
      }
      writable = slice.value === '' || response.write(slice.value);
    }
  } finally {
    slices.return?.();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function drained(response: Exchange['response']): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

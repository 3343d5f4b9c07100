import type { ByteString } from './byte-string.ts';
import type { Exchange } from './exchange.ts';
import { PROBLEM_MEDIA_TYPE, type Problem } from './problem.ts';
import { toInstance } from './target.ts';

/** What an operation answers. */
export interface Answer<Body = ByteString | Buffer> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON text; none where it is absent. */
  readonly body?: Body | undefined;
}

/** What an operation answers that can be long work: the text may come in slices. */
export type LongAnswer = Answer<ByteString | Buffer | Slices>;

/** A text in slices: each is made only when the one before it has left, and making it must be short work. */
export type Slices = Iterator<ByteString, void>;

const MEDIA_TYPE = 'application/json';

/** Sends an answer. */
export function send(exchange: Exchange, { status, headers, body }: Answer): void {
  if (body !== undefined) sendWhole(exchange, status, MEDIA_TYPE, body, headers);
  else {
    sendHead(exchange, status, [], headers);
    exchange.response.end();
  }
}

/** Sends the head of an answer whose length is not known yet. */
export function sendHeadOfSlices(exchange: Exchange, { status, headers }: LongAnswer): void {
  sendHead(exchange, status, ['Content-Type', MEDIA_TYPE], headers);
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
  body: ByteString | Buffer,
  headers: Answer['headers'],
  close = false,
): void {
  const head = ['Content-Type', mediaType, 'Content-Length', body.length];
  sendHead(exchange, status, head, headers, close);
  exchange.response.end(body, 'latin1');
}

function sendHead(
  exchange: Exchange,
  status: number,
  head: (string | number)[],
  headers: Answer['headers'],
  close = false,
): void {
  for (const name in headers) head.push(name, headers[name] ?? '');
  if (exchange.isLast(close)) head.push('Connection', 'close');
  exchange.response.writeHead(status, head);
}

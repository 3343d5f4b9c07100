import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../core/problem.ts';
import { Query } from '../core/query.ts';
import type { Request } from '../core/request.ts';
import type { Work } from '../core/work.ts';
import { requestIdOf, traceIdOf } from '../request/correlation.ts';
import { splitList } from '../request/field-list.ts';
import { pathOf } from '../request/target.ts';
import type { Route } from '../routing/route.ts';

/** What an exchange needs of its connection. */
export interface ExchangeConnection {
  readonly isClosed: boolean;
  /** Whether a response is the last one; if so, nothing is served after it. */
  isLastResponse(exchange: Exchange, close: boolean): boolean;
  /** Holds more memory for the client, or less; either way it has made progress. */
  hold(bytes: number): void;
  /** Does work for a request, in turn with the work of others. */
  run<T>(work: Work<T>, exchange: Exchange): T | Promise<T>;
  /** Ends at once where no response is owed, else after the last of them. */
  end(): void;
  cut(): void;
}

const NO_CONTENT: Buffer = Buffer.alloc(0);
/**
 * How an IPv4 address begins that came to a socket for both versions (RFC 4291, section 2.5.5.2).
 */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

const NO_PARAMS: readonly string[] = [];

/** One request and its response on a connection. It becomes a whole request step by step. */
export class Exchange implements Request {
  readonly message: IncomingMessage;
  readonly output: ServerResponse;
  readonly connection: ExchangeConnection;
  readonly method: string;
  readonly target: string;
  query = Query.EMPTY;
  template: string | undefined;
  route: Route | undefined;
  params = NO_PARAMS;
  content = NO_CONTENT;
  refusal: Problem | undefined;
  readonly receivedAt = performance.now();
  /** The bytes of content that were sent so far. */
  contentBytes = 0;
  #path: string | undefined;
  #id: string | undefined;
  #onEnd: ((contentBytes: number) => void)[] | undefined;
  /** The parser knows its start line, and no more. */
  readonly isUnparsed: boolean;
  /** The client sends content only after a 100 (RFC 9110, section 10.1.1), which it has not got. */
  #awaitsContinue: boolean;

  constructor(
    message: IncomingMessage,
    output: ServerResponse,
    connection: ExchangeConnection,
    options: { readonly awaitsContinue?: boolean; readonly isUnparsed?: boolean } = {},
  ) {
    this.message = message;
    this.output = output;
    this.connection = connection;
    this.method = message.method ?? '';
    this.target = message.url ?? '';
    this.#awaitsContinue = options.awaitsContinue ?? false;
    this.isUnparsed = options.isUnparsed ?? false;
  }

  get headers(): IncomingHttpHeaders {
    return this.message.headers;
  }

  get path(): string {
    this.#path ??= pathOf(this.target);
    return this.#path;
  }

  set path(path: string) {
    this.#path = path;
  }

  get id(): string {
    this.#id ??= requestIdOf(this.headers['x-request-id']) ?? crypto.randomUUID();
    return this.#id;
  }

  get knownId(): string | undefined {
    return this.#id ?? requestIdOf(this.headers['x-request-id']);
  }

  get traceId(): string | undefined {
    return traceIdOf(this.headers.traceparent);
  }

  get clientAddress(): string | undefined {
    return this.message.socket.remoteAddress?.replace(IPV4_MAPPED, '');
  }

  onEnd(callback: (contentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** The response has been sent, or cannot be. */
  end(): void {
    for (const callback of this.#onEnd ?? []) callback(this.contentBytes);
  }

  /** Whether content follows the header section (RFC 9112, section 6.3). */
  get hasContent(): boolean {
    const { 'transfer-encoding': coding, 'content-length': length } = this.headers;
    return coding !== undefined || (length !== undefined && Number(length) !== 0);
  }

  /** The request has arrived whole: it is handled, and owed a response. */
  get hasArrived(): boolean {
    return this.message.complete || this.refusal !== undefined;
  }

  /** Whether the client has gone, so that nobody waits for the response. */
  get isGone(): boolean {
    return this.output.destroyed || this.connection.isClosed;
  }

  run<T>(work: Work<T>): T | Promise<T> {
    return this.connection.run(work, this);
  }

  /** Asks for the content, where the client waits to be asked. */
  sendContinue(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.output.writeContinue();
  }

  /**
   * Called when the head of the response is written.
   * @param close the response itself asks for the end of the connection
   * @returns whether this response is the connection's last, and must say so (RFC 9112, section
   * 9.6)
   */
  isLast(close: boolean): boolean {
    const isClosing = close || this.#awaitsContinue || asksForClose(this.headers.connection);
    return this.connection.isLastResponse(this, isClosing);
  }
}

/**
 * Whether a client asks for the end. Node 20 takes no notice where a tab stands beside the option.
 */
function asksForClose(connection: string | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false;
  return splitList(connection).some((option) => option.toLowerCase() === 'close');
}

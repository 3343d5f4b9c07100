import { type IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded, type Problem } from '../../core/problem.ts';
import type { Request, Route } from '../../core/request.ts';
import { pathOf, Query } from '../../core/target.ts';
import { splitList } from '../../request/field-values.ts';
import {
  hasContent,
  hasSteeringTrailer,
  requestIdOf,
  traceIdOf,
} from '../../request/header-section.ts';
import { hostOf } from '../../request/host.ts';
import { NO_PARAMETERS, type PathRoutes } from '../../routing/router.ts';
import {
  CONNECTION_BYTES,
  type ConnectionActions,
  ConnectionCore,
} from '../machine/connection-core.ts';
import { IncomingContent, PendingExchange } from '../machine/pending-exchange.ts';
import {
  IncomingRequest,
  onDroppedBytes,
  onLastResponse,
  stopParsing,
} from '../receive/node-internals.ts';
import { DROPPED_BYTES, type ParserError, parserProblem } from '../receive/parser-error.ts';
import type { HttpSettings } from '../settings.ts';
import type { ClientMemory } from './client-memory.ts';
import { ClientGoneError, type Scheduler } from './scheduler.ts';

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** The parts of a server that its connections share. */
export interface ConnectionContext {
  readonly settings: HttpSettings;
  readonly scheduler: Scheduler;
  readonly clients: ClientMemory;
  /** Whether the server stops. */
  readonly isStopping: boolean;
  /** When it began to close connections, by `clock.now()`. Infinity until then. */
  readonly stopsSince: number;
  /** Serves a request of any connection. */
  readonly serve: (exchange: Exchange) => void;
}

/** Connects a `ConnectionCore` to `node:http`: passes on events, and performs its actions. */
export class Connection implements ConnectionActions<Exchange> {
  /** Read early, because the system drops the address when the client disconnects. */
  readonly address: string | undefined;
  readonly context: ConnectionContext;
  readonly core: ConnectionCore<Exchange>;
  readonly #socket: Socket;
  readonly #finish = () => this.core.finish();
  /** Whether its client has sent on after the last response. */
  isDiscarding = false;
  /** Whether dropped bytes are noticed, which is needed after an offer of an upgrade. */
  #isWatched = false;

  constructor(socket: Socket, context: ConnectionContext) {
    this.#socket = socket;
    this.address = socket.remoteAddress;
    this.context = context;
    this.core = new ConnectionCore(socket, context.settings, this, clock.now());
    context.clients.users.add(this.core);
    this.addBytes(CONNECTION_BYTES);
    onLastResponse(socket, () => this.core.sentLast());
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.core.close());
  }

  /** Accepts a request whose header section has arrived. */
  acceptRequest(message: IncomingRequest, output: ServerResponse): void {
    if (!this.core.accept()) {
      stopParsing(this.#socket, () => {});
      return;
    }
    // No other protocol is supported (RFC 9110, section 7.8).
    if (message.headers.upgrade !== undefined) {
      this.#isWatched ||= onDroppedBytes(this.#socket, () => this.refuse(DROPPED_BYTES));
      if (!this.#isWatched) output.shouldKeepAlive = false;
    }
    this.#add(new Exchange(message, output, this));
  }

  /** Accepts a CONNECT, after which `node:http` reads nothing more. */
  acceptConnect(message: IncomingRequest): void {
    if (this.core.accept()) this.#add(new Exchange(message, this.#lastOutput(message), this));
    // Otherwise, a client that disconnects would go unnoticed.
    this.#socket.resume();
  }

  /** Refuses bytes that `node:http` could not parse, or a request that took too long. */
  refuse(error: ParserError): void {
    const { core } = this;
    if (error.code === 'ECONNRESET') core.disconnect();
    if (core.isOver || !this.#socket.writable) return;
    // The parser stops after a request that closes the connection, possibly by a trailer field.
    if (error.code === 'HPE_CLOSED_CONNECTION') core.end();
    else {
      const problem = parserProblem(error, core.progress);
      if (core.fail(problem)) this.#respondTo(problem);
    }
  }

  /** Responds to bytes that are not a request, in the same way as to a request. */
  #respondTo(problem: Problem): void {
    const message = new IncomingRequest(this.#socket);
    const exchange = new Exchange(message, this.#lastOutput(message), this);
    exchange.refusal = problem;
    this.#add(exchange);
  }

  /** The output of a last response that `node:http` knows nothing of. */
  #lastOutput(message: IncomingRequest): ServerResponse {
    const output = new ServerResponse(message);
    output.shouldKeepAlive = false;
    output.once('finish', () => this.core.sentLast());
    return output;
  }

  #add(exchange: Exchange): void {
    exchange.output.on('close', this.#finish);
    this.core.add(exchange);
  }

  serve(exchange: Exchange): void {
    const { output } = exchange;
    if (output.socket === null) output.assignSocket(this.#socket);
    this.context.serve(exchange);
  }

  beginSoon(exchange: Exchange): void {
    this.context.scheduler.inTurn(() => {
      if (!exchange.isDisconnected) this.core.begin(exchange);
    });
  }

  addBytes(bytes: number): void {
    this.context.clients.add(bytes);
  }

  get isStopping(): boolean {
    return this.context.isStopping;
  }

  get stopsSince(): number {
    return this.context.stopsSince;
  }

  endSide(): void {
    const socket = this.#socket;
    const { lingerBytes, lingerTimeout, stopLingerTimeout } = this.context.settings;
    let bytesLeft = lingerBytes;
    stopParsing(socket, ({ length }) => {
      this.isDiscarding = true;
      bytesLeft -= length;
      // Not closed, because the reset would overtake the response.
      if (bytesLeft <= 0) socket.pause();
    });
    socket.resume();
    socket.end();
    const timer = clock.setTimeout(
      () => this.core.disconnect(),
      this.isStopping ? stopLingerTimeout : lingerTimeout,
    );
    socket.once('close', () => clock.clear(timer));
  }

  disconnect(isReset: boolean): void {
    if (isReset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }
}

/** A request on a connection, which may still be arriving, and its response. */
export class Exchange extends PendingExchange implements Request {
  readonly message: IncomingRequest;
  readonly output: ServerResponse;
  readonly connection: Connection;
  readonly method: string;
  /** 0 until the dispatcher numbers the request. */
  number = 0;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly path: string;
  localPath = '';
  query = Query.EMPTY;
  route: Route | undefined;
  params = NO_PARAMETERS;
  /** The routes of its path; undefined if the path is unknown. */
  endpoint: PathRoutes | undefined;
  readonly receivedAt = clock.now();
  knownId: string | undefined;
  #textBytes: number | undefined;
  /** The client waits for a 100 before it sends content (RFC 9110, section 10.1.1). */
  #awaitsContinue: boolean;

  constructor(message: IncomingRequest, output: ServerResponse, connection: Connection) {
    super(contentOf(message, connection.core));
    // `node:http` serves nothing after a request that does not let the connection persist.
    this.isFinal = !output.shouldKeepAlive;
    this.message = message;
    this.output = output;
    this.connection = connection;
    this.method = message.method ?? '';
    this.target = message.url ?? '';
    this.path = pathOf(this.target);
    this.headers = message.headers;
    this.rawHeaders = message.rawHeaders;
    this.knownId = requestIdOf(this.headers['x-request-id']);
    // Every other expectation is refused.
    const expects = Boolean(message.headers.expect) && message.httpVersion === '1.1';
    this.#awaitsContinue = expects && this.incoming !== undefined;
  }

  get template(): string | undefined {
    // The base itself, which redirects, has an empty one.
    return this.endpoint?.path || undefined;
  }

  get host(): string | undefined {
    return hostOf(this.target, this.headers.host);
  }

  get id(): string {
    this.knownId ??= crypto.randomUUID();
    return this.knownId;
  }

  get traceId(): string | undefined {
    return traceIdOf(this.headers.traceparent);
  }

  get clientAddress(): string | undefined {
    return this.connection.address?.replace(IPV4_MAPPED, '');
  }

  get textBytes(): number {
    // Cached, because memory is summed often when it is scarce.
    this.#textBytes ??= this.rawHeaders.reduce(
      (sum, { length }) => sum + length,
      this.target.length,
    );
    return this.#textBytes;
  }

  /** Whether the client has disconnected. */
  get isDisconnected(): boolean {
    return this.output.destroyed || this.connection.core.isClosed;
  }

  /** Whether the response has begun. */
  get isBegun(): boolean {
    return this.output.headersSent;
  }

  run<R>(steps: Steps<unknown, R>): R | Promise<R> {
    const result = this.connection.context.scheduler.run(steps, this);
    // The parts of a response that has begun remain its work until its end.
    if (this.isBegun || result instanceof Promise) this.work = steps;
    if (!(result instanceof Promise)) return result;
    return result.finally(() => {
      if (!this.isBegun) this.work = undefined;
    });
  }

  async wait(end: Promise<void>): Promise<void> {
    if (this.connection.context.clients.isExceeded)
      throw overloaded('Too many requests are waiting');
    this.isWaiting = true;
    await Promise.race([end, new Promise((resolve) => this.onEnd(resolve))]);
    if (this.isDisconnected) throw new ClientGoneError();
  }

  /** Reads the content, then calls back. Sends a 100 if the client waits for it. */
  readContent(incoming: IncomingContent, done: (exchange: Exchange) => void): void {
    if (this.#awaitsContinue) this.output.writeContinue();
    this.#awaitsContinue = false;
    incoming.read((refusal) => {
      this.refusal ??= refusal;
      done(this);
    }, this.route?.content?.maxBytes);
  }

  /** Begins the response. @returns whether it is the last of its connection (RFC 9112, 9.6) */
  begin(close: boolean): boolean {
    const isCut = this.refusal?.close || (this.refusal !== undefined && this.incoming?.isTooLong);
    const isClosing =
      close ||
      isCut ||
      this.isFinal ||
      this.#awaitsContinue ||
      asksForClose(this.headers.connection) ||
      hasSteeringTrailer(this.message);
    return this.connection.core.beginResponse(this, isClosing);
  }
}

/** The content that follows a header section; undefined if there is none. */
function contentOf(message: IncomingRequest, core: ConnectionCore<Exchange>) {
  const { expect, 'content-length': length } = message.headers;
  // A CONNECT has no content, whatever its fields say (RFC 9110, section 9.3.6).
  if (!hasContent(message.headers) || message.method === 'CONNECT') return undefined;
  const declared = length === undefined ? undefined : Number(length);
  const incoming = new IncomingContent(core, declared, Boolean(expect));
  message.sendContentTo(incoming);
  return incoming;
}

/** Whether the client wants the connection to close. Node 20 misses the option beside a tab. */
function asksForClose(connection: string | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false;
  return splitList(connection).some((option) => option.toLowerCase() === 'close');
}

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded, type Problem } from '../../core/problem.ts';
import type { Request, Route } from '../../core/request.ts';
import { pathOf, Query } from '../../core/target.ts';
import { splitList } from '../../request/field-values.ts';
import { hasContent, requestIdOf, traceIdOf } from '../../request/header-section.ts';
import { NO_PARAMETERS, type PathRoutes } from '../../routing/router.ts';
import { type Actions, CONNECTION_BYTES, ConnectionCore } from '../machine/connection-core.ts';
import { IncomingContent, NO_CONTENT, Turn } from '../machine/turn.ts';
import {
  type IncomingRequest,
  onLastResponse,
  REQUEST,
  SocketParser,
  stopReading,
} from '../receive/node-internals.ts';
import { type ParserError, parserProblem, withKnownMethod } from '../receive/parser-error.ts';
import { type HttpSettings, maxHeadBytes } from '../settings.ts';
import { ClientGoneError, type Scheduler } from './scheduler.ts';

/** The memory of a request, and what each string of its header section adds, in bytes. */
const REQUEST_BYTES = 4 * 1024;
const HEADER_STRING_BYTES = 64;

/** How often a side that was ended is looked at, in milliseconds. */
const END_CHECK_MS = 50;

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** Serves a request of any connection. */
export type Serve = (exchange: Exchange) => void;

/** Binds the core of a connection to `node:http`: tells it what happens, and does what it says. */
export class Connection implements Actions<Exchange> {
  /** Read at once: the system no longer knows the address of a client that has gone. */
  readonly address: string | undefined;
  readonly scheduler: Scheduler;
  readonly core: ConnectionCore<Exchange>;
  readonly serve: Serve;
  readonly #socket: Socket;
  readonly #parser: SocketParser;
  /** The request that a client really sent, if the parser is given another in its place. */
  #actual: { readonly method: string; readonly url?: string } | undefined;
  #refusal: Problem | undefined;
  readonly #finish = () => this.core.finish();

  constructor(socket: Socket, settings: HttpSettings, scheduler: Scheduler, serve: Serve) {
    this.#socket = socket;
    this.address = socket.remoteAddress;
    this.scheduler = scheduler;
    this.serve = serve;
    this.#parser = new SocketParser(socket, maxHeadBytes(settings));
    this.core = new ConnectionCore(socket, settings, this, clock.now());
    scheduler.memory.users.add(this.core);
    this.addBytes(CONNECTION_BYTES);
    onLastResponse(socket, () => this.core.sentLast());
    // `node:http` resumes it after each request and response, and when it has drained.
    socket.on('resume', this.#pauseIfFull);
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.core.close());
  }

  /** Accepts a request whose header section has arrived. */
  acceptRequest(message: IncomingRequest, output: ServerResponse): void {
    const { core } = this;
    this.#parser.begunAt = undefined;
    // No other protocol is supported (RFC 9110, section 7.8).
    const isCut = message.headers.upgrade !== undefined && !this.#parser.parseBehind(message);
    if (isCut || this.#actual !== undefined) output.shouldKeepAlive = false;
    if (this.#actual !== undefined) Object.assign(message, this.#actual);
    this.#actual = undefined;
    if (!core.accept()) {
      this.#parser.stop();
      return;
    }
    const exchange = new Exchange(message, output, this);
    exchange.refusal = this.#refusal;
    output.on('close', this.#finish);
    core.add(exchange, this.scheduler.memory);
  }

  /** Refuses bytes that `node:http` could not parse, or that took too long. */
  refuse(error: ParserError): void {
    const { core } = this;
    if (error.code === 'ECONNRESET') core.disconnect();
    if (core.isOver || !this.#socket.writable) return;
    if (error.code === 'HPE_CLOSED_CONNECTION' && !core.hasFinal) {
      // Nothing but a trailer field has said that it closes.
      const { rawPacket = NO_CONTENT, bytesParsed = 1 } = error;
      if (this.#parser.restart(rawPacket.subarray(bytesParsed - 1))) return;
    }
    error.isWhole = this.#parser.hasBegunInSegment && !core.watch.hasContentInSegment;
    // The router has the better error for an unknown method.
    const known = core.hasFinal ? undefined : withKnownMethod(error);
    if (known !== undefined && this.#parser.restart(known.bytes)) {
      this.#actual = { method: known.method };
      return;
    }
    const problem = parserProblem(error);
    if (!core.fail(problem)) return;
    this.#refusal = problem;
    this.#actual = { method: '', url: '' };
    if (!this.#parser.restart(REQUEST)) core.disconnect();
  }

  /** Checks its time limits; whatever had arrived by then has been read. */
  tick(): void {
    this.core.tick(clock.now(), this.#parser.begunAt !== undefined);
  }

  beginInTurn(exchange: Exchange): void {
    this.scheduler.inTurn(() => {
      if (!exchange.isGone) this.core.begin(exchange);
    });
  }

  addBytes(bytes: number): void {
    this.scheduler.memory.add(bytes);
  }

  adjustReading(): void {
    const isPaused = this.#socket.isPaused();
    if (!isPaused && this.core.isFull) clock.nextTick(this.#pauseIfFull);
    else if (isPaused && (this.core.isOver || !this.core.isFull)) this.#socket.resume();
  }

  endSide(): void {
    this.#socket.resume();
    this.#socket.end();
    this.core.linger(clock.now());
    const timer = clock.setInterval(() => this.core.linger(clock.now()), END_CHECK_MS);
    this.#socket.once('close', () => clock.clear(timer));
  }

  disconnect(isReset: boolean): void {
    if (isReset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  readonly #pauseIfFull = (): void => {
    if (this.core.isFull && !this.core.isOver) stopReading(this.#socket);
  };
}

/** A request on a connection, which arrives step by step, and its response. */
export class Exchange extends Turn implements Request {
  readonly message: IncomingRequest;
  readonly output: ServerResponse;
  readonly connection: Connection;
  readonly method: string;
  /** 0 until it is taken up. */
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
  /** The client waits for a 100 before it sends content (RFC 9110, section 10.1.1). */
  #awaitsContinue: boolean;

  constructor(message: IncomingRequest, output: ServerResponse, connection: Connection) {
    const headBytes = REQUEST_BYTES + message.rawHeaders.length * HEADER_STRING_BYTES;
    super(headBytes, contentOf(message, connection.core));
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
    // A request that expects anything else is refused.
    this.#awaitsContinue = Boolean(message.headers.expect) && message.httpVersion === '1.1';
  }

  get template(): string | undefined {
    return this.endpoint?.path;
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

  /** Whether the client has disconnected, so that nobody waits for the response. */
  get isGone(): boolean {
    return this.output.destroyed || this.connection.core.isClosed;
  }

  run<R>(steps: Steps<unknown, R>): R | Promise<R> {
    const result = this.connection.scheduler.run(steps, this);
    if (!(result instanceof Promise)) return result;
    this.isRunningSteps = true;
    return result.finally(() => {
      this.isRunningSteps = false;
    });
  }

  async wait(end: Promise<void>): Promise<void> {
    const { memory } = this.connection.scheduler;
    if (memory.isExceeded) throw overloaded('Too many requests are waiting');
    this.setWaiting();
    await Promise.race([end, new Promise((resolve) => this.onEnd(resolve))]);
    if (this.isGone) throw new ClientGoneError('the client has gone');
  }

  /** Marks it as waiting for the work of its handler. */
  setWaiting(): void {
    this.isWaiting = true;
    this.connection.addBytes(this.bytes);
  }

  setWorkBytes(bytes: number): void {
    const added = bytes - this.workBytes;
    this.workBytes = bytes;
    this.connection.addBytes(added);
  }

  /** Reads the content, for which it sends a 100 if the client waits for that; then calls back. */
  readContent(incoming: IncomingContent, done: (exchange: Exchange) => void): void {
    if (this.#awaitsContinue) this.output.writeContinue();
    this.#awaitsContinue = false;
    incoming.read((refusal) => {
      this.refusal ??= refusal;
      done(this);
    }, this.route?.content?.maxBytes);
  }

  /** Called with the head: whether this response is the last of its connection (RFC 9112, 9.6). */
  isLast(close = false): boolean {
    const { connection } = this.headers;
    const isRefused = this.refusal !== undefined;
    const isCut = this.refusal?.close || (isRefused && this.incoming?.isTooLong);
    const isClosing = close || isCut || this.#awaitsContinue || asksForClose(connection);
    return this.connection.core.respond(this, isClosing);
  }
}

/** The content that follows a header section, on its way; undefined if there is none. */
function contentOf(message: IncomingRequest, core: ConnectionCore<Exchange>) {
  const { expect, 'content-length': length } = message.headers;
  if (!hasContent(message.headers)) return undefined;
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

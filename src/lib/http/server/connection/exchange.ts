import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded } from '../../core/problem.ts';
import type { Request, Route } from '../../core/request.ts';
import { pathOf, Query } from '../../core/target.ts';
import { splitList } from '../../request/field-values.ts';
import { requestIdOf, traceIdOf } from '../../request/header-section.ts';
import type { PathRoutes } from '../../routing/router.ts';
import type { ConnectionCore } from '../machine/connection-core.ts';
import { type IncomingContent, Turn } from '../machine/turn.ts';
import type { IncomingRequest } from '../receive/node-internals.ts';
import { ClientGoneError, type Scheduler } from './scheduler.ts';

/** What an exchange needs of its connection. */
export interface ExchangeConnection {
  readonly address: string | undefined;
  readonly scheduler: Scheduler;
  readonly core: ConnectionCore<Exchange>;
  /** Counts so many more bytes that are held for the client. */
  addBytes(bytes: number): void;
}

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

const NO_PARAMS: readonly string[] = [];

/** A request on a connection, which arrives step by step, and its response. */
export class Exchange extends Turn implements Request {
  readonly message: IncomingRequest;
  readonly output: ServerResponse;
  readonly connection: ExchangeConnection;
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly path: string;
  localPath = '';
  query = Query.EMPTY;
  template: string | undefined;
  route: Route | undefined;
  params = NO_PARAMS;
  /** The routes of its path; undefined if the path is unknown. */
  endpoint: PathRoutes | undefined;
  readonly receivedAt = clock.now();
  #id: string | undefined;
  /** The client waits for a 100 before it sends content (RFC 9110, section 10.1.1). */
  #awaitsContinue: boolean;

  constructor(
    message: IncomingRequest,
    output: ServerResponse,
    connection: ExchangeConnection,
    headBytes: number,
    incoming?: IncomingContent,
  ) {
    super(headBytes, incoming);
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
    // A request that expects anything else is refused.
    this.#awaitsContinue = Boolean(message.headers.expect) && message.httpVersion === '1.1';
  }

  get id(): string {
    this.#id ??= this.knownId ?? crypto.randomUUID();
    return this.#id;
  }

  get knownId(): string | undefined {
    return this.#id ?? requestIdOf(this.headers['x-request-id']);
  }

  get traceId(): string | undefined {
    return traceIdOf(this.headers.traceparent);
  }

  get clientAddress(): string | undefined {
    return this.connection.address?.replace(IPV4_MAPPED, '');
  }

  /** Whether the client has disconnected, so that nobody waits for the response. */
  get isGone(): boolean {
    return this.output.destroyed || this.connection.core.state === 'closed';
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
    await Promise.race([end, new Promise<void>((resolve) => this.onEnd(() => resolve()))]);
    if (this.isGone) throw new ClientGoneError('the client has gone');
  }

  /** Has it wait for the work of its handler. */
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

/** Whether the client wants the connection to close. Node 20 misses the option beside a tab. */
function asksForClose(connection: string | undefined): boolean {
  if (connection === undefined || connection === 'keep-alive') return false;
  return splitList(connection).some((option) => option.toLowerCase() === 'close');
}

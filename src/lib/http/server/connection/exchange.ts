import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { Steps } from '../../../steps.ts';
import { overloaded } from '../../core/problem.ts';
import type { Request, Route } from '../../core/request.ts';
import { authorityOf, pathOf, Query } from '../../core/target.ts';
import { hasContent, requestIdOf, traceIdOf } from '../../request/header-section.ts';
import type { PathRoutes } from '../../routing/router.ts';
import { NO_SITE, type Site } from '../../routing/site.ts';
import type { ConnectionCore, CoreContext } from '../machine/connection-core.ts';
import { ExchangeCore } from '../machine/exchange-core.ts';
import { IncomingContent } from '../machine/incoming-content.ts';
import type { ContentReader, IncomingRequest } from '../receive/node-internals.ts';
import type { ClientMemory } from './client-memory.ts';
import { ClientGoneError, type Scheduler } from './scheduler.ts';

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** The objects of a server that its connections share. */
export interface ConnectionContext extends CoreContext<Exchange> {
  readonly scheduler: Scheduler;
  readonly clients: ClientMemory;
}

/** The connection of an exchange. */
export interface ExchangeOwner {
  readonly socket: Socket;
  /** The address of the client. */
  readonly address: string | undefined;
  readonly context: ConnectionContext;
  readonly core: ConnectionCore<Exchange>;
  /** To be called when the last byte of a response has been written, or cannot be. */
  readonly onSent: (error?: Error | null) => void;
}

/** A request on a connection, which may still be arriving, and its response. */
export class Exchange extends ExchangeCore implements Request, ContentReader {
  readonly message: IncomingRequest;
  /** The response as `node:http` has it. The sender writes to the socket instead. */
  readonly output: ServerResponse;
  readonly connection: ExchangeOwner;
  /** 0 until the dispatcher numbers the request. */
  number = 0;
  readonly path: string;
  localPath = '';
  query = Query.EMPTY;
  route: Route | undefined;
  /** The routes of its path; undefined if the path is unknown. */
  pathRoutes: PathRoutes | undefined;
  readonly receivedAt = clock.now();
  knownId: string | undefined;
  #site: Site | undefined;
  #textBytes: number | undefined;

  constructor(message: IncomingRequest, output: ServerResponse, connection: ExchangeOwner) {
    super(contentOf(message));
    if (this.incoming !== undefined) message.sendContentTo(this);
    // `node:http` parses nothing after a request that does not let the connection persist.
    this.isFinal = !output.shouldKeepAlive;
    this.message = message;
    this.output = output;
    this.connection = connection;
    this.path = pathOf(this.target);
    this.knownId = requestIdOf(message.headers['x-request-id']);
  }

  get site(): Site {
    return this.#site ?? NO_SITE;
  }

  /** Event: its turn has come. */
  takeUp(site: Site): void {
    this.#site = site;
    site.enter();
  }

  override finish(): void {
    super.finish();
    this.#site?.leave();
  }

  override get bytes(): number {
    const held = this.state === 'done' ? 0 : this.site.heldBytesPerRequest;
    return super.bytes + held;
  }

  get method(): string {
    return this.message.method ?? '';
  }

  get target(): string {
    return this.message.url ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.message.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.message.rawHeaders;
  }

  get template(): string | undefined {
    // The template of the base path is empty, because the base path only redirects.
    return this.pathRoutes?.path || undefined;
  }

  get parameter(): string {
    return this.pathRoutes?.parameterOf(this.localPath) ?? '';
  }

  get host(): string | undefined {
    return authorityOf(this.target) ?? this.headers.host;
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

  get isDisconnected(): boolean {
    return this.connection.core.isClosed;
  }

  run<R>(steps: Steps<unknown, R>): R | Promise<R> {
    const result = this.connection.context.scheduler.run(steps, this);
    // While a response is sent in parts, `ContentWriter` sets `work`.
    if (!(result instanceof Promise) || this.isBegun) return result;
    this.work = steps;
    return result.finally(() => {
      if (!this.isBegun) this.work = undefined;
    });
  }

  get isHalfClosed(): boolean {
    return this.connection.socket.readableEnded;
  }

  async wait(end: Promise<void>, bytes = 0): Promise<void> {
    const { clients } = this.connection.context;
    if (this.isDisconnected) throw new ClientGoneError();
    if (clients.isExceeded) throw overloaded('Too many requests are waiting');
    this.work = { bytes };
    clients.add(bytes);
    await Promise.race([end, new Promise((resolve) => this.onEnd(resolve))]);
    this.work = undefined;
    if (this.isDisconnected) throw new ClientGoneError();
  }

  addPiece(piece: Buffer): void {
    this.connection.core.addContent(this, piece);
  }

  endContent(hasTrailers: boolean): void {
    this.connection.core.endContent(this, hasTrailers);
  }
}

/** The content that follows a header section; undefined if there is none. */
function contentOf({ headers, method, httpVersion }: IncomingRequest): IncomingContent | undefined {
  // A CONNECT has no content, whatever its fields say (RFC 9110, section 9.3.6).
  if (!hasContent(headers) || method === 'CONNECT') return undefined;
  const { 'content-length': length, expect } = headers;
  // Every other expectation is refused.
  const awaitsContinue = Boolean(expect) && httpVersion === '1.1';
  return new IncomingContent(length === undefined ? undefined : Number(length), awaitsContinue);
}

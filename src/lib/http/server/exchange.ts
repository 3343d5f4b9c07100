import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';
import type { Steps } from '../../steps.ts';
import { type Capacity, Ticket } from '../admission/ticket.ts';
import type { Problem } from '../messages/problem.ts';
import type { Request, Route, WaitOptions } from '../messages/request.ts';
import type { ContentParts, Response } from '../messages/response.ts';
import { authorityOf, localPathOf, pathOf, type Query, queryOf } from '../messages/target.ts';
import { hasContent, requestIdOf, traceIdOf } from '../request/header-section.ts';
import { NO_SITE, type PathRoutes, type Site } from '../routing/router.ts';
import { Arrival } from './arrival.ts';

const NO_CONTENT: Buffer = Buffer.alloc(0);

/** Shared by requests without observers, because making an array takes longer than copying this one. */
const NO_OBSERVERS: never[] = [];

/** A target up to this length is parsed at once, and so is content, in bytes. */
const SHORT_BYTES = 1024;

/** The connection of a request. */
export interface RequestConnection {
  readonly socket: Socket;
  /** The client's IP address. */
  readonly address: string | undefined;
  readonly isClosed: boolean;
  /** Reads nothing more until `readOn`, or until a request that needs it is due. */
  stopReading(): void;
  readOn(): void;
  /** Event: a response begins. @returns whether it is the last one */
  beginResponse(exchange: Exchange, close: boolean): boolean;
  /** Event: the response has been sent, and `node:http` has released its request. */
  readonly endResponse: () => void;
  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset?: boolean): void;
}

/** How far an exchange is. A request in `handling` cannot be refused, only cancelled. */
type Stage = 'arriving' | 'handling' | 'sending';

/** A request on a connection, and its response. */
export class Exchange implements Request {
  readonly message: IncomingMessage;
  /** The response of `node:http`; without a socket for bytes that are not a request, and CONNECT. */
  readonly output: ServerResponse;
  readonly connection: RequestConnection;
  readonly ticket: Ticket;
  /** The content that follows the header section; undefined if there is none. */
  readonly arrival: Arrival | undefined;
  readonly method: string;
  readonly target: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  ignoresIfNoneMatch = false;
  readonly receivedAt = clock.now();
  knownId: string | undefined;
  site = NO_SITE;
  localPath = '';
  pathRoutes: PathRoutes | undefined;
  route: Route | undefined;
  /** Why it is refused, if it is. The first refusal holds. */
  refusal: Problem | undefined;
  content: Buffer = NO_CONTENT;
  stage: Stage = 'arriving';
  /** Whether its response is content that becomes available while it is sent. */
  isStream = false;
  /** The bytes of the response's content sent so far. */
  sentBytes = 0;
  #query: Query | undefined;
  /** The observers of the response, the one that was added last first. */
  #onResponse: readonly ((response: Response) => void)[] = NO_OBSERVERS;
  #onEnd: readonly ((sentBytes: number) => void)[] = NO_OBSERVERS;

  constructor(
    message: IncomingMessage,
    output: ServerResponse,
    connection: RequestConnection,
    capacity: Capacity,
  ) {
    this.message = message;
    this.output = output;
    this.connection = connection;
    this.method = message.method ?? '';
    this.target = message.url ?? '';
    this.path = pathOf(this.target);
    this.headers = message.headers;
    this.knownId = requestIdOf(this.headers['x-request-id']);
    this.ticket = new Ticket(capacity, this);
    // A CONNECT has no content, whatever its fields say (RFC 9110, section 9.3.6).
    const isFollowed = hasContent(this.headers) && this.method !== 'CONNECT';
    const length = Number(this.headers['content-length'] ?? Number.NaN);
    this.arrival = isFollowed ? new Arrival(this, length) : undefined;
  }

  /** Event: it is due. Finds its route at the site. */
  enter(site: Site): void {
    this.site = site;
    this.localPath = localPathOf(this.path, site.basePath);
    this.pathRoutes = site.router.find(this.method, this.localPath);
    this.route = this.pathRoutes?.route(this.method);
    if (this.route?.isOneByOne) this.ticket.useOneByOne();
  }

  /** Whether it has a target that takes long to parse, and is not refused. */
  get hasLongTarget(): boolean {
    return this.target.length > SHORT_BYTES && this.refusal === undefined;
  }

  /** Whether its content is parsed only in a turn of the event loop that has time. */
  get isSlowToParse(): boolean {
    return this.content.length > SHORT_BYTES;
  }

  /** Parsed when it is first read. @throws Problem `malformed-query` */
  get query(): Query {
    this.#query ??= queryOf(this.target);
    return this.#query;
  }

  get rawHeaders(): readonly string[] {
    return this.message.rawHeaders;
  }

  get clientAddress(): string | undefined {
    return this.connection.address;
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

  get isDisconnected(): boolean {
    return this.message.socket.destroyed;
  }

  get isHalfClosed(): boolean {
    return this.message.socket.readableEnded;
  }

  /** The length of its target, header section and content, as far as they are kept, in bytes. */
  get length(): number {
    let length = this.target.length + this.content.length;
    for (const text of this.rawHeaders) length += text.length;
    return this.stage === 'arriving' ? length + (this.arrival?.allowedBytes ?? 0) : length;
  }

  /** Refuses it, unless it was refused before, and drops its content. */
  refuse(problem: Problem): void {
    this.refusal ??= problem;
    this.content = NO_CONTENT;
    this.arrival?.drop();
    this.ticket.abandon(problem);
  }

  /** Ends it with a problem, unless it has changed something, or its response has begun. */
  cancel(problem: Problem): void {
    if (this.stage === 'arriving') this.refuse(problem);
    if (this.stage !== 'sending') this.ticket.cancel(problem);
  }

  run<R>(steps: Steps<unknown, R>): Promise<R> {
    return this.ticket.run(steps);
  }

  runLong<W extends ContentParts>(make: () => W, workingBytes: number): Promise<W> {
    return this.ticket.runLong(make, workingBytes);
  }

  wait(end: Promise<void>, options?: WaitOptions): Promise<void> {
    // It is short to parse again, and many requests may wait.
    this.#query = undefined;
    return this.ticket.wait(end, options);
  }

  onResponse(observe: (response: Response) => void): void {
    this.#onResponse = [observe, ...this.#onResponse];
  }

  onEnd(callback: (sentBytes: number) => void): void {
    this.#onEnd = [...this.#onEnd, callback];
  }

  /** Event: there is a response. Shows it to its observers, the last one first. */
  beginSending(response: Response): void {
    this.stage = 'sending';
    this.content = NO_CONTENT;
    const observers = this.#onResponse;
    this.#onResponse = NO_OBSERVERS;
    for (const observe of observers) observe(response);
    if (this.ticket.hasEnded) this.#forget();
  }

  /** Event: its response was sent, or its connection has closed. */
  end(): void {
    if (this.ticket.hasEnded) return;
    this.ticket.end();
    this.arrival?.drop();
    const callbacks = this.#onEnd;
    this.#onEnd = NO_OBSERVERS;
    for (const callback of callbacks) callback(this.sentBytes);
    // Work that has not ended may still use what it holds.
    if (this.stage !== 'handling') this.#forget();
  }

  /** Frees what it holds, because its connection keeps the exchange until the next request. */
  #forget(): void {
    this.content = NO_CONTENT;
    this.site = NO_SITE;
  }
}

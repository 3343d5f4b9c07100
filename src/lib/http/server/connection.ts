import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';
import type { Problem } from '../messages/problem.ts';
import { MAX_CONTENT_BYTES, saysClose } from '../request/header-section.ts';
import type { Held } from '../routing/router.ts';
import type { MemoryUser } from './client-memory.ts';
import { type Capacity, Exchange } from './exchange.ts';
import { type HttpSettings, maxHeadBytes } from './http-settings.ts';
import { ENDED, type ParserError, parserProblem, timeoutProblem } from './parser-error.ts';
import { RequestBytes } from './request-bytes.ts';

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** The estimated memory of a socket with its parser, in bytes. */
const CONNECTION_BYTES = 8 * 1024;

/** The estimated memory of a request that is not served, which `node:http` keeps, in bytes. */
const IGNORED_BYTES = 2 * 1024;

/** The maximum number of requests that wait behind a response. */
const MAX_WAITING = 64;

/** The objects of a server that its connections share. */
export interface ConnectionContext extends Capacity {
  readonly settings: HttpSettings;
  /** Whether the server stops. Then a response is the last one, unless other responses are due. */
  readonly isStopping: boolean;
  /** When the server began to close connections, by `clock.now()`. Infinity until then. */
  readonly stopsSince: number;
  /** Serves a request whose turn has come. */
  readonly serve: (exchange: Exchange, connection: Connection) => void;
  /** Responds to a request that was refused while its content arrived. */
  readonly respond: (exchange: Exchange, connection: Connection) => void;
}

/**
 * A queue of requests, and the end of their connection. One request is served at a time, because
 * only safe methods may run in parallel (RFC 9112, section 9.3.2).
 *
 * A connection ends in this order: its last request is known (`#isLast`), its last response has been
 * sent (`#isLingering`), it is closed (`isClosed`).
 */
export class Connection implements MemoryUser {
  readonly socket: Socket;
  /** The client's IP address. Read early: the system drops it when the client disconnects. */
  readonly #address: string | undefined;
  readonly #context: ConnectionContext;
  /** Requests whose responses have not been sent, in order. The first one is served. */
  readonly #pending: Exchange[] = [];
  /** The latest request. Its content may arrive after its response. */
  #newest: Exchange | undefined;
  /** Whether the latest request is the last one that is served. */
  #isLast = false;
  /** Whether it closes when no response is due. */
  #isEnding = false;
  /** Whether it is closed. Faster than `socket.destroyed`. */
  isClosed = false;
  /** Whether the last response has been sent. */
  #isLingering = false;
  /** `socket.bytesRead` when it began to drop all bytes; undefined until then. */
  #dropsFrom: number | undefined;
  /** The number of requests after the last one that is served. */
  #ignored = 0;
  /** Whether nothing more is read. */
  #hasStoppedReading = false;
  readonly #requestBytes: RequestBytes;
  /** The bytes that were read, and those that the system has accepted, at the last poll. */
  #bytesRead = 0;
  #bytesAccepted = 0;
  #readAt = clock.now();
  #acceptedAt = clock.now();
  #activeAt = clock.now();

  constructor(socket: Socket, context: ConnectionContext) {
    this.socket = socket;
    this.#address = socket.remoteAddress?.replace(IPV4_MAPPED, '');
    this.#context = context;
    const onError = (error: ParserError) => {
      // Otherwise, `node:http` has reported it.
      if (this.#dropsFrom === undefined) this.fail(error);
    };
    this.#requestBytes = new RequestBytes(socket, maxHeadBytes(context.settings), onError);
    context.clients.users.add(this);
    context.clients.recordGrowth(CONNECTION_BYTES);
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.#onClose());
    // `node:http` does not notice it within the content of a request that offers an upgrade.
    socket.once('end', () => this.#endWithinContent());
    // `node:http` resumes after each request, even in the segment in which the socket was paused.
    socket.on('resume', () => this.#hasStoppedReading && socket.pause());
    // `node:http` calls it after a last response that it has sent. It would reset the connection of
    // a client that sends on, and so could overtake the response.
    socket.destroySoon = () => this.#linger();
  }

  /** Accepts a request whose header section has arrived. It waits for the responses before it. */
  accept(message: IncomingMessage, output: ServerResponse): void {
    if (this.#isLast) {
      this.#ignored++;
      // Its content is dropped, because `node:http` counts no pieces.
      message.resume();
      this.#stopReading();
      this.#context.clients.recordGrowth(IGNORED_BYTES);
      return;
    }
    const exchange = this.#createExchange(message, output);
    this.#requestBytes.add(message, exchange.contentLength);
    if (exchange.hasContent) this.#receive(exchange);
    else this.#endIfNextIsUnsure(exchange);
    const isFull = this.#pending.length >= MAX_WAITING;
    this.#isLast ||= isFull || !output.shouldKeepAlive || saysClose(message);
    if (isFull) this.#stopReading();
    this.#enqueue(exchange);
  }

  /** Accepts a CONNECT, after which `node:http` reads nothing more. */
  acceptConnect(message: IncomingMessage): void {
    if (!this.#isLast) {
      this.#isLast = true;
      this.#enqueue(this.#createExchange(message));
    }
    // Otherwise, a client that disconnects would go unnoticed.
    this.#dropsFrom ??= this.socket.bytesRead;
    this.socket.on('data', () => this.#limitDropped());
  }

  /** @param output absent for bytes that are not a request, and for CONNECT */
  #createExchange(message: IncomingMessage, output = new ServerResponse(message)): Exchange {
    return new Exchange(message, output, this.#address, this.#context);
  }

  /** Adds a request to the queue. The first one is served at once. */
  #enqueue(exchange: Exchange): void {
    this.#newest = exchange;
    this.#pending.push(exchange);
    if (this.served === exchange) this.#context.serve(exchange, this);
    // Only of those that wait, because most others have ended by now.
    else this.#context.clients.recordGrowth(exchange.bytes);
  }

  /** Receives content, also while its request waits, because `node:http` counts no pieces. */
  #receive(exchange: Exchange): void {
    const { message } = exchange;
    message.on('data', (piece: Buffer) => {
      this.#context.clients.recordGrowth(piece.length);
      exchange.addPiece(piece);
      const isWaiting = this.served !== undefined && exchange !== this.served;
      if (isWaiting && exchange.arrivedBytes > MAX_CONTENT_BYTES) this.#stopReading();
      // Content may still arrive after the last response, such as 413.
      this.#limitDropped();
    });
    message.on('end', () => {
      this.#endIfNextIsUnsure(exchange);
      exchange.endContent();
    });
  }

  /** Event: a request has arrived, or is refused. It is the last one if the next may be a forgery. */
  #endIfNextIsUnsure(exchange: Exchange): void {
    if (exchange.isCompared) return;
    exchange.isCompared = true;
    const { message } = exchange;
    const offersUpgrade = message.headers.upgrade !== undefined;
    const isArriving = exchange.hasContent && !message.complete;
    const length = isArriving ? Number.NaN : exchange.contentLength;
    const mayHaveDropped = this.#requestBytes.end(length, offersUpgrade);
    // Trailer fields could contradict the header section.
    if (mayHaveDropped || message.rawTrailers.length > 0) this.#endAfter(exchange);
  }

  /** Serves nothing after a request. */
  #endAfter(exchange: Exchange): void {
    this.#isLast = true;
    const index = this.#pending.indexOf(exchange);
    if (index === -1) return;
    for (const dropped of this.#pending.splice(index + 1)) dropped.end();
  }

  /** Reads nothing more, until it is the turn of a request that needs it. */
  #stopReading(): void {
    this.#hasStoppedReading = true;
    this.socket.pause();
  }

  /** Reads on after {@link #stopReading}, until another request arrives. */
  #readOn(): void {
    if (!this.#hasStoppedReading) return;
    this.#hasStoppedReading = false;
    this.socket.resume();
  }

  /** Event: a response begins. @returns whether it is the last one (RFC 9112, section 9.6) */
  beginResponse(exchange: Exchange, close: boolean): boolean {
    exchange.isBegun = true;
    const { refusal, canBeSkipped } = exchange;
    if (refusal !== undefined && exchange.hasContent) this.#endIfNextIsUnsure(exchange);
    if (close || refusal?.close || (refusal !== undefined && !canBeSkipped)) {
      this.#endAfter(exchange);
    }
    const isNewest = this.#pending.length === 1;
    this.#isLast ||= isNewest && this.#context.isStopping;
    return isNewest && this.#isLast;
  }

  /** Event: the response has been sent, and `node:http` has released its request. */
  readonly endResponse = (): void => {
    this.#pending.shift()?.end();
    const [next] = this.#pending;
    // Not at once, because a segment may hold dozens of requests.
    if (next !== undefined) clock.setImmediate(() => this.#serve(next));
    else if (this.#isLast || this.#isEnding) this.#linger();
  };

  #serve(exchange: Exchange): void {
    if (this.isClosed) return;
    if (!this.#isLast || !exchange.message.complete) this.#readOn();
    this.#context.serve(exchange, this);
  }

  /**
   * Event: bytes could not be parsed, or a request took too long. The request that is arriving is
   * refused. Without one, the bytes get a response of their own, unless others are due.
   */
  fail(error: ParserError): void {
    if (error.code === 'ECONNRESET') this.disconnect();
    this.#dropsFrom ??= this.socket.bytesRead;
    this.#limitDropped();
    if (this.socket.writable && !this.#isLingering) {
      this.#refuseArriving(parserProblem(error, this.#newest?.progress));
    }
  }

  #endWithinContent(): void {
    const isArriving = this.#newest?.message.complete === false;
    if (isArriving && this.#dropsFrom === undefined) this.fail(ENDED);
  }

  #refuseArriving(problem: Problem): void {
    const newest = this.#newest;
    const isArriving = newest?.message.complete === false;
    this.#isLast = true;
    if (isArriving && newest.isHandled) this.end();
    else if (isArriving) {
      newest.refuse(problem);
      if (newest.isTakenUp) this.#context.respond(newest, this);
    } else if (this.#pending.length === 0) {
      // A request in the place of these bytes, so that features see the refusal.
      const message = new IncomingMessage(this.socket);
      const exchange = this.#createExchange(message);
      exchange.refuse(problem);
      this.#enqueue(exchange);
    }
  }

  /**
   * Event: time has passed, and everything that had arrived has been read. Ends the connection of a
   * client that reads or sends nothing for too long. Cheaper than a timer for each request.
   */
  poll(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const accepted = bytesWritten - writableLength;
    if (bytesRead !== this.#bytesRead) this.#readAt = now;
    if (accepted !== this.#bytesAccepted || writableLength === 0) this.#acceptedAt = now;
    const isActive = bytesRead !== this.#bytesRead || accepted !== this.#bytesAccepted;
    if (isActive || this.#pending.length > 0) this.#activeAt = now;
    this.#bytesRead = bytesRead;
    this.#bytesAccepted = accepted;
    const { settings, stopsSince } = this.#context;
    const { sendTimeout, keepAliveTimeout, stopSilenceTimeout } = settings;
    const [served] = this.#pending;
    const isArriving = served?.isHandled === false && !served.message.complete;
    if (now - this.#acceptedAt > sendTimeout) this.disconnect();
    // Before the first response, and while a request arrives, `node:http` has its own time limits.
    else if (bytesWritten > 0 && now - this.#activeAt > keepAliveTimeout) this.end();
    else if (isArriving && now - Math.max(this.#readAt, stopsSince) > stopSilenceTimeout) {
      this.#refuseArriving(timeoutProblem(served.progress));
    }
  }

  /** Closes after the responses that are due, or now. */
  end(): void {
    this.#isEnding = true;
    if (this.#pending.length > 0) return;
    if (this.socket.bytesWritten > 0) this.#linger();
    else this.disconnect();
  }

  /**
   * Ends its side after the last response, and drops bytes until the client ends its own. Closing at
   * once would send a reset, which could overtake the response.
   */
  #linger(): void {
    if (this.#isLingering) return;
    const { socket } = this;
    this.#isLingering = true;
    this.#dropsFrom ??= socket.bytesRead;
    this.#isLast = true;
    this.#readOn();
    socket.end();
    const timer = clock.setTimeout(() => this.disconnect(), this.#context.settings.lingerTimeout);
    socket.once('close', () => clock.clear(timer));
  }

  /** Event: bytes have arrived. Stops reading when too many were dropped. */
  #limitDropped(): void {
    if (this.#dropped > this.#context.settings.lingerBytes) this.#stopReading();
  }

  /** Whether its client has sent bytes after the last response. */
  get isDropping(): boolean {
    return this.#isLingering && this.#dropped > 0;
  }

  /** The number of bytes that were dropped. */
  get #dropped(): number {
    return this.#dropsFrom === undefined ? 0 : this.socket.bytesRead - this.#dropsFrom;
  }

  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset = false): void {
    this.isClosed = true;
    if (isReset) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  #onClose(): void {
    this.isClosed = true;
    const [served] = this.#pending;
    this.#pending.length = Math.min(this.#pending.length, 1);
    served?.end();
    // The content of unfinished work still takes memory.
    if (!served?.isDeferred) this.#context.clients.users.delete(this);
  }

  /** Event: the handler of a request has responded. */
  endHandling(exchange: Exchange): void {
    exchange.endHandling();
    if (this.isClosed) this.#context.clients.users.delete(this);
  }

  /** Event: it holds more bytes that the system has not accepted. */
  recordUnread(bytes: number): void {
    if (this.isUnread) this.#context.clients.recordGrowth(bytes);
  }

  /** The request that is served. */
  get served(): Exchange | undefined {
    return this.#pending[0];
  }

  /** Whether responses are due. */
  get owesResponses(): boolean {
    return this.#pending.length > 0;
  }

  get isUnread(): boolean {
    return !this.isClosed && this.socket.writableLength > 0;
  }

  get isSending(): boolean {
    return !this.isClosed && this.served?.isBegun === true && this.served.work !== undefined;
  }

  get held(): Held | undefined {
    return this.isClosed ? undefined : this.served?.site.held;
  }

  get isWaiting(): boolean {
    const { served } = this;
    if (this.isClosed) return false;
    return this.isUnread || !served?.isHandled || served.isDeferred || served.work !== undefined;
  }

  get bytes(): number {
    if (this.isClosed) return this.served?.content.length ?? 0;
    let bytes = CONNECTION_BYTES + this.socket.writableLength + this.#ignored * IGNORED_BYTES;
    for (const exchange of this.#pending) bytes += exchange.bytes;
    return bytes;
  }
}
